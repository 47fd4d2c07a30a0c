// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.secured;

import java.util.HashMap;
import java.util.Map;

/** The authentication of a client of a {@link SecureBroker}: Kafka's {@code sasl.*} keys. */
public record SaslLogin(String mechanism, String jaas) {
    private static final String SCRAM_MODULE = "org.apache.kafka.common.security.scram.ScramLoginModule";

    public static SaslLogin plain(String user) {
        return new SaslLogin(
                "PLAIN", named("org.apache.kafka.common.security.plain.PlainLoginModule", user, passwordOf(user)));
    }

    public static SaslLogin scram256(String user) {
        return new SaslLogin("SCRAM-SHA-256", named(SCRAM_MODULE, user, passwordOf(user)));
    }

    public static SaslLogin scram512(String user) {
        return new SaslLogin("SCRAM-SHA-512", named(SCRAM_MODULE, user, passwordOf(user)));
    }

    /** Returns a login with an unsecured token of {@code kafka-clients}, valid for {@code lifetimeSeconds}. */
    public static SaslLogin oauthBearer(String user, int lifetimeSeconds) {
        return new SaslLogin(
                "OAUTHBEARER",
                "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub=\""
                        + user + "\" unsecuredLoginLifetimeSeconds=\"" + lifetimeSeconds + "\";");
    }

    /** Returns a login with a delegation token. */
    public static SaslLogin token(String tokenId, String hmacBase64) {
        return new SaslLogin(
                "SCRAM-SHA-256", named(SCRAM_MODULE, tokenId, hmacBase64).replace(";", " tokenauth=\"true\";"));
    }

    public SaslLogin withPassword(String password) {
        return new SaslLogin(mechanism, jaas.replaceAll(" password=\"[^\"]*\"", " password=\"" + password + "\""));
    }

    public Map<String, String> properties() {
        Map<String, String> keys = new HashMap<>();
        keys.put("sasl.mechanism", mechanism);
        keys.put("sasl.jaas.config", jaas);
        return keys;
    }

    /** Returns the user's password on test brokers, for PLAIN and SCRAM. */
    public static String passwordOf(String user) {
        return user + "-secret";
    }

    private static String named(String module, String user, String password) {
        return module + " required username=\"" + user + "\" password=\"" + password + "\";";
    }
}
