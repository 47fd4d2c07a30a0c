// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.secured;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.acl.AclOperation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checks the fixture, directly at the broker without a proxy. */
@Timeout(120)
class SecureBrokerIT {
    private static SecureBroker broker;

    @BeforeAll
    static void start() throws Exception {
        broker = SecureBroker.start();
        broker.admin()
                .createTopics(List.of(new NewTopic("a", 1, (short) 1), new NewTopic("b", 1, (short) 1)))
                .all()
                .get(20, TimeUnit.SECONDS);
        broker.allow(SecureBroker.ALICE, "a", AclOperation.DESCRIBE);
        broker.allow(SecureBroker.BOB, "b", AclOperation.DESCRIBE);
    }

    @AfterAll
    static void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    @Test
    void shouldTreatAnonymousTlsClientsAsSuperUsers() throws Exception {
        assertThat(topics(SecureListener.TLS, SaslLogin.plain("nobody"))).contains("a", "b");
    }

    @Test
    void shouldAuthenticateClientsAtEveryOtherListener() throws Exception {
        assertThat(topics(SecureListener.MUTUAL, SaslLogin.plain("nobody"))).containsExactly("a");
        for (SecureListener listener : List.of(SecureListener.SASL, SecureListener.SASL_TLS)) {
            for (SaslLogin login : List.of(
                    SaslLogin.plain(SecureBroker.ALICE),
                    SaslLogin.scram256(SecureBroker.ALICE),
                    SaslLogin.scram512(SecureBroker.ALICE),
                    SaslLogin.oauthBearer(SecureBroker.ALICE, 3_600))) {
                assertThat(topics(listener, login)).as("%s %s", listener, login).containsExactly("a");
            }
            assertThat(topics(listener, SaslLogin.plain(SecureBroker.BOB))).containsExactly("b");
        }
    }

    @Test
    void shouldAuthenticateADelegationTokenAsItsOwner() throws Exception {
        SaslLogin login = broker.token(SecureBroker.BOB);
        assertThat(topics(SecureListener.SASL, login)).containsExactly("b");
    }

    private static Iterable<String> topics(SecureListener listener, SaslLogin login) throws Exception {
        try (Admin admin = admin(listener, login)) {
            return admin.listTopics().names().get(20, TimeUnit.SECONDS);
        }
    }

    private static Admin admin(SecureListener listener, SaslLogin login) {
        Map<String, Object> settings = new HashMap<>(broker.client(listener, SecureBroker.ALICE, login));
        settings.put("bootstrap.servers", broker.bootstrapServers(listener));
        return Admin.create(settings);
    }
}
