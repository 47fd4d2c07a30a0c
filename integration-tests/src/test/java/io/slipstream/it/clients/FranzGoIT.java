// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** franz-go: a client in pure Go with the newest protocol versions. */
@ExtendWith(Serving.Extension.class)
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class FranzGoIT {
    private static LanguageClient client;

    @BeforeAll
    static void build() throws Exception {
        client = LanguageClients.go();
    }

    @Test
    void shouldProduceAndConsume(Serving serving) throws Exception {
        client.roundTrip(serving, List.of(client.directory().resolve("client").toString()));
    }
}
