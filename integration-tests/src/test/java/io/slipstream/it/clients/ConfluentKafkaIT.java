// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** confluent-kafka for Python: a newer librdkafka than kcat's, with both group protocols. */
@ExtendWith(Serving.Extension.class)
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class ConfluentKafkaIT {
    private static LanguageClient client;
    private static Path python;

    @BeforeAll
    static void install() throws Exception {
        client = LanguageClients.python();
        python = LanguageClients.pythonOf(client);
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void shouldProduceAndConsume(String groupProtocol, Serving serving) throws Exception {
        client.roundTrip(serving, List.of(python.toString(), "client.py"), groupProtocol);
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void shouldCopyExactlyOnce(String groupProtocol, Serving serving) throws Exception {
        client.copy(serving, List.of(python.toString(), "client.py"), groupProtocol);
    }
}
