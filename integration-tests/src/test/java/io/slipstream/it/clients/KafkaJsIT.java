// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** kafkajs: a client in pure JavaScript with old protocol versions. */
@ExtendWith(Serving.Extension.class)
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class KafkaJsIT {
    private static LanguageClient client;

    @BeforeAll
    static void install() throws Exception {
        client = LanguageClients.node();
    }

    @Test
    void shouldProduceAndConsume(Serving serving) throws Exception {
        client.roundTrip(serving, List.of("node", "client.js"));
    }
}
