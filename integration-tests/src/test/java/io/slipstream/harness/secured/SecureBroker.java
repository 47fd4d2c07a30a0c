// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.secured;

import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import io.slipstream.process.TempDirectory;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.token.delegation.DelegationToken;

/**
 * A stock broker with the plugin, all {@link SecureListener}s, Kafka's own authorizer and delegation tokens. Its users
 * {@link #ALICE} and {@link #BOB} have no permissions until {@link #allow} grants them. Only its listener PLAINTEXT
 * needs no authentication, for the broker itself and {@link #admin()}; anonymous users are super users there unless the
 * settings say otherwise. Not safe for concurrent use.
 */
public final class SecureBroker implements AutoCloseable {
    public static final String ALICE = "alice";
    public static final String BOB = "bob";

    private static final List<String> USERS = List.of(ALICE, BOB);
    private static final String MECHANISMS = "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER";
    private static final int SCRAM_ITERATIONS = 4_096;
    private static final Duration PATIENCE = Patience.ofSeconds(20);

    private final TempDirectory directory = TempDirectory.create("ss-k");
    private final Certificates certificates;
    private final BrokerProcess process;
    private final Admin admin;

    private SecureBroker(BrokerLine line, UnaryOperator<BrokerProcess.Builder> adjust) {
        certificates = Certificates.in(directory.path()).issue("broker");
        USERS.forEach(certificates::issue);
        process = adjust.apply(settings(line)).start();
        admin = Admin.create(Map.of("bootstrap.servers", process.bootstrapServers()));
    }

    public static SecureBroker start() {
        return start(BrokerLine.NEWEST, settings -> settings);
    }

    /**
     * Returns when the broker serves and its plugin listens.
     *
     * @param adjust may add or override properties: {@code connections.max.reauth.ms} for session expiry, {@code
     * super.users}, {@code slipstream.*} …
     */
    public static SecureBroker start(BrokerLine line, UnaryOperator<BrokerProcess.Builder> adjust) {
        SecureBroker broker = new SecureBroker(line, adjust);
        try {
            broker.awaitPlugin();
            broker.addScramCredentials();
            return broker;
        } catch (Exception e) {
            broker.close();
            throw new IllegalStateException(e);
        }
    }

    public BrokerProcess process() {
        return process;
    }

    /** Returns the authority that certified the broker, alice and bob. */
    public Certificates certificates() {
        return certificates;
    }

    public String bootstrapServers(SecureListener listener) {
        return "127.0.0.1:" + process.port(listener.name());
    }

    /** Returns a client with all permissions. */
    public Admin admin() {
        return admin;
    }

    /**
     * Returns client settings, without the address, that authenticate as {@code user}: PLAIN if the listener requires
     * SASL, anonymous at {@link SecureListener#TLS}.
     */
    public Map<String, Object> client(SecureListener listener, String user) {
        return client(listener, user, SaslLogin.plain(user));
    }

    /** @param login ignored if the listener does not require SASL */
    public Map<String, Object> client(SecureListener listener, String user, SaslLogin login) {
        Map<String, Object> keys = new HashMap<>();
        keys.put("security.protocol", listener.securityProtocol());
        if (listener.encrypts()) {
            keys.putAll(certificates.trust(StoreFormat.PEM));
        }
        if (listener == SecureListener.MUTUAL) {
            keys.putAll(certificates.identity(user, StoreFormat.PEM));
        }
        if (listener.requiresSasl()) {
            keys.putAll(login.properties());
        }
        return keys;
    }

    /** Allows operations on the topic from any host. Returns when the broker applies the ACLs. */
    public void allow(String user, String topic, AclOperation... operations) {
        Collection<AclBinding> rules = new ArrayList<>();
        for (AclOperation operation : operations) {
            rules.add(rule(user, ResourceType.TOPIC, topic, operation));
        }
        try {
            admin.createAcls(rules).all().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException("cannot allow " + user + " to use " + topic, e);
        }
    }

    /** Creates a delegation token of {@code user}. Returns when the broker accepts it. */
    public SaslLogin token(String user) {
        Map<String, Object> settings = client(SecureListener.SASL_TLS, user, SaslLogin.scram256(user));
        settings.put("bootstrap.servers", bootstrapServers(SecureListener.SASL_TLS));
        try (Admin owner = Admin.create(settings)) {
            DelegationToken token =
                    owner.createDelegationToken().delegationToken().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            // The controller created the token; the broker learns it a little later.
            boolean known = Deadline.after(PATIENCE).await(() -> knows(owner, token));
            if (!known) {
                throw new IllegalStateException("the broker does not know the token of " + user);
            }
            return SaslLogin.token(token.tokenInfo().tokenId(), token.hmacAsBase64String());
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException("no delegation token of " + user, e);
        }
    }

    private static boolean knows(Admin owner, DelegationToken token) {
        try {
            return owner.describeDelegationToken()
                    .delegationTokens()
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    .contains(token);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    public static AclBinding rule(String user, ResourceType type, String name, AclOperation operation) {
        return new AclBinding(
                new ResourcePattern(type, name, PatternType.LITERAL),
                new AccessControlEntry("User:" + user, "*", operation, AclPermissionType.ALLOW));
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
        process.close();
        directory.close();
    }

    private BrokerProcess.Builder settings(BrokerLine line) {
        BrokerProcess.Builder settings = BrokerProcess.builder(line)
                .withAgent()
                .property("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .property("super.users", "User:ANONYMOUS")
                .property("allow.everyone.if.no.acl.found", "false")
                .property("delegation.token.secret.key", "a secret of tests")
                .property("ssl.principal.mapping.rules", "RULE:^CN=([^,]+).*$/$1/,DEFAULT");
        certificates.identity("broker", StoreFormat.PKCS12).forEach(settings::property);
        certificates.trust(StoreFormat.PKCS12).forEach(settings::property);
        for (SecureListener listener : SecureListener.values()) {
            settings.listener(listener.name(), listener.securityProtocol());
            if (listener.requiresSasl()) {
                requireSasl(settings, listener.prefix());
            }
        }
        return settings.property(SecureListener.MUTUAL.prefix() + "ssl.client.auth", "required");
    }

    private static void requireSasl(BrokerProcess.Builder settings, String prefix) {
        StringBuilder plain = new StringBuilder("org.apache.kafka.common.security.plain.PlainLoginModule required");
        USERS.forEach(user -> plain.append(" user_")
                .append(user)
                .append("=\"")
                .append(SaslLogin.passwordOf(user))
                .append('"'));
        String scram = "org.apache.kafka.common.security.scram.ScramLoginModule required;";
        settings.property(prefix + "sasl.enabled.mechanisms", MECHANISMS)
                .property(prefix + "plain.sasl.jaas.config", plain + ";")
                .property(prefix + "scram-sha-256.sasl.jaas.config", scram)
                .property(prefix + "scram-sha-512.sasl.jaas.config", scram)
                .property(
                        prefix + "oauthbearer.sasl.jaas.config",
                        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;");
    }

    private void awaitPlugin() {
        if (!Deadline.after(PATIENCE).await(() -> Files.exists(process.pluginSocket()))) {
            throw new IllegalStateException("the broker's plugin does not serve" + process.logTail());
        }
    }

    /** One request per mechanism: a request may alter a user only once. */
    private void addScramCredentials() throws Exception {
        for (ScramMechanism mechanism : List.of(ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512)) {
            List<UserScramCredentialAlteration> credentials = new ArrayList<>();
            for (String user : USERS) {
                credentials.add(new UserScramCredentialUpsertion(
                        user, new ScramCredentialInfo(mechanism, SCRAM_ITERATIONS), SaslLogin.passwordOf(user)));
            }
            admin.alterUserScramCredentials(credentials).all().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }
}
