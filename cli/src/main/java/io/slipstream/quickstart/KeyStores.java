// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import io.slipstream.process.ChildProcess;
import io.slipstream.process.Patience;
import io.slipstream.process.StartFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A certificate authority, made with the JDK's {@code keytool}, and the servers it certifies for 127.0.0.1 and
 * localhost. It writes {@code NAME.p12} for each server, {@code trust.p12} for Java clients and {@code authority.pem}
 * for other clients. The permissions of the files are those of their directory. Not safe for concurrent use.
 */
final class KeyStores {
    private static final Duration PATIENCE = Patience.ofSeconds(60);
    private static final String AUTHORITY = "authority";
    private static final String TYPE = "PKCS12";
    private static final String DAYS = "30";

    private final Path directory;
    private final String password;

    /** @param password password of every store, at least six characters */
    KeyStores(Path directory, String password) {
        this.directory = directory;
        this.password = password;
        make(
                AUTHORITY,
                "CN=slipstream quickstart",
                "-ext",
                "bc:c=ca:true,pathlen:0",
                "-ext",
                "ku:c=keyCertSign,cRLSign");
        String certificate = directory.resolve("authority.pem").toString();
        keytool("-exportcert", "-rfc", "-alias", AUTHORITY, "-keystore", store(AUTHORITY), "-file", certificate);
        keytool("-importcert", "-noprompt", "-alias", AUTHORITY, "-keystore", store("trust"), "-file", certificate);
    }

    /** Issues a certificate for {@code CN=name}. */
    void issue(String name) {
        make(name, "CN=" + name, "-signer", AUTHORITY, "-ext", "san=ip:127.0.0.1,dns:localhost");
        // keytool signs only within one store; a server receives only its own key.
        keytool(
                "-importkeystore",
                "-srckeystore",
                store(AUTHORITY),
                "-srcstorepass",
                password,
                "-srcalias",
                name,
                "-destkeystore",
                store(name),
                "-deststoretype",
                TYPE);
        keytool("-delete", "-alias", name, "-keystore", store(AUTHORITY));
    }

    /** Returns Kafka's key-store settings of the server {@code name}. */
    Map<String, String> identity(String name) {
        Map<String, String> keys = new LinkedHashMap<>();
        keys.put("ssl.keystore.type", TYPE);
        keys.put("ssl.keystore.location", store(name));
        keys.put("ssl.keystore.password", password);
        return keys;
    }

    /** Returns Kafka's trust-store settings, which trust only this authority. */
    Map<String, String> trust() {
        Map<String, String> keys = new LinkedHashMap<>();
        keys.put("ssl.truststore.type", TYPE);
        keys.put("ssl.truststore.location", store("trust"));
        keys.put("ssl.truststore.password", password);
        return keys;
    }

    private String store(String name) {
        return directory.resolve(name + ".p12").toString();
    }

    private void make(String alias, String subject, String... more) {
        List<String> arguments = new ArrayList<>(List.of("-genkeypair", "-alias", alias, "-dname", subject));
        arguments.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1", "-validity", DAYS));
        arguments.addAll(List.of("-storetype", TYPE, "-keystore", store(AUTHORITY)));
        arguments.addAll(List.of(more));
        keytool(arguments.toArray(String[]::new));
    }

    private void keytool(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(ChildProcess.java()).resolveSibling("keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storepass", password, "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        ChildProcess tool = ChildProcess.start("keytool", command, directory, directory.resolve("keytool.log"));
        int status = tool.awaitExit(PATIENCE);
        if (status != 0) {
            tool.kill9();
            throw new StartFailure("keytool " + arguments[0] + " ended with status " + status + tool.logTail());
        }
    }
}
