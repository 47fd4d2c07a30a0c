// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import io.slipstream.process.BrokerProcess;
import io.slipstream.process.BrokerSecurity;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.security.auth.SecurityProtocol;

/**
 * TLS and SCRAM on the only listener, with passwords and certificates generated for this run. Every operation needs an
 * ACL, except those of the super users {@code admin} and {@code broker}. The certificate of {@code broker}
 * authenticates it at the controller listener. SCRAM cannot do so: its credentials are in metadata that the controller
 * has not read yet. Not safe for concurrent use.
 */
final class SecureAdmission implements Admission {
    static final SecurityProtocol PROTOCOL = SecurityProtocol.SASL_SSL;
    static final String MECHANISM = "SCRAM-SHA-512";

    private static final String BROKER = "broker";
    private static final String PROXY = "proxy";
    private static final int SECRET_BYTES = 18;

    private final Path directory;
    private final KeyStores keyStores;
    private final Map<Role, String> passwords = new EnumMap<>(Role.class);

    /** Generates certificates, passwords, and a {@code USER.properties} for each user. */
    SecureAdmission(Path directory) {
        this.directory = directory;
        SecureRandom random = new SecureRandom();
        keyStores = new KeyStores(directory, secret(random));
        keyStores.issue(BROKER);
        keyStores.issue(PROXY);
        for (Role role : Role.values()) {
            passwords.put(role, secret(random));
            write(role);
        }
    }

    @Override
    public void secure(BrokerProcess.Builder broker) {
        List<String> scram = new ArrayList<>();
        passwords.forEach(
                (role, password) -> scram.add(MECHANISM + "=[name=" + role.user() + ",password=" + password + "]"));
        broker.secured(new BrokerSecurity(PROTOCOL, SecurityProtocol.SSL, scram, client(Role.ADMIN)));
        keyStores.identity(BROKER).forEach(broker::property);
        keyStores.trust().forEach(broker::property);
        String clients = "listener.name." + PROTOCOL.name.toLowerCase(Locale.ROOT) + ".";
        broker.property("sasl.enabled.mechanisms", MECHANISM)
                .property("sasl.mechanism.inter.broker.protocol", MECHANISM)
                .property(clients + "scram-sha-512.sasl.jaas.config", jaas(Role.ADMIN, passwords.get(Role.ADMIN)))
                .property("listener.name.controller.ssl.client.auth", "required")
                .property("ssl.principal.mapping.rules", "RULE:^CN=([^,]+)$/$1/,DEFAULT")
                .property("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .property("allow.everyone.if.no.acl.found", "false")
                .property("super.users", "User:" + Role.ADMIN.user() + ";User:" + BROKER);
    }

    @Override
    public void secure(ProxyProcess.Builder proxy) {
        proxy.property("security.protocol", PROTOCOL.name).property("listen.security.protocol", PROTOCOL.name);
        keyStores.trust().forEach(proxy::property);
        keyStores.identity(PROXY).forEach((key, value) -> proxy.property("listen." + key, value));
    }

    @Override
    public Map<String, Object> client(Role role) {
        return new LinkedHashMap<>(client(role, passwords.get(role)));
    }

    /** Returns client settings with the user's name and a wrong password. */
    Map<String, Object> clientWithWrongPassword(Role role) {
        return new LinkedHashMap<>(client(role, "not the password"));
    }

    /** Returns the file for {@code --command-config} of stock tools. */
    Path clientProperties(Role role) {
        return directory.resolve(role.user() + ".properties");
    }

    /** Returns the client files by user. */
    Map<String, String> clientFiles() {
        Map<String, String> files = new TreeMap<>();
        for (Role role : Role.values()) {
            files.put(role.user(), clientProperties(role).toString());
        }
        return files;
    }

    private Map<String, String> client(Role role, String password) {
        Map<String, String> keys = new LinkedHashMap<>();
        keys.put("security.protocol", PROTOCOL.name);
        keys.put("sasl.mechanism", MECHANISM);
        keys.put("sasl.jaas.config", jaas(role, password));
        keys.putAll(keyStores.trust());
        return keys;
    }

    private void write(Role role) {
        StringBuilder text = new StringBuilder("# Settings of a stock client for user " + role.user() + ".\n");
        client(role, passwords.get(role))
                .forEach((key, value) ->
                        text.append(key).append('=').append(value).append('\n'));
        Path file = clientProperties(role);
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    private static String jaas(Role role, String password) {
        return "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"" + role.user()
                + "\" password=\"" + password + "\";";
    }

    /** Uses only letters, digits, - and _, because several file formats take the secret without escapes. */
    private static String secret(SecureRandom random) {
        byte[] bytes = new byte[SECRET_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
