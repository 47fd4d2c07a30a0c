// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security;

import io.slipstream.process.ChildProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import io.slipstream.process.Ports;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A key distribution center of MIT Kerberos for one realm, on a free port, with its files in a directory. */
final class KeyDistribution implements AutoCloseable {
    static final String REALM = "EXAMPLE.COM";

    private final Path directory;
    private final Map<String, String> environment;
    private final ChildProcess center;

    KeyDistribution(Path directory) throws Exception {
        this.directory = directory;
        int port = Ports.free();
        Files.writeString(configuration(), """
                [libdefaults]
                default_realm=%1$s
                udp_preference_limit=1
                dns_lookup_kdc=false
                rdns=false
                [realms]
                %1$s={
                kdc=127.0.0.1:%2$d
                }
                """.formatted(REALM, port));
        Path profile = directory.resolve("kdc.conf");
        Files.writeString(
                profile, """
                [realms]
                %1$s={
                database_name=%2$s
                key_stash_file=%3$s
                kdc_listen=127.0.0.1:%4$d
                kdc_tcp_listen=127.0.0.1:%4$d
                }
                """.formatted(REALM, directory.resolve("principals"), directory.resolve("stash"), port));
        environment = Map.of("KRB5_CONFIG", configuration().toString(), "KRB5_KDC_PROFILE", profile.toString());
        run("kdb5_util", "create", "-s", "-r", REALM, "-P", "a password of the database");
        center = ChildProcess.start(
                "kdc",
                List.of(
                        "env",
                        "KRB5_CONFIG=" + configuration(),
                        "KRB5_KDC_PROFILE=" + profile,
                        "krb5kdc",
                        "-n",
                        "-r",
                        REALM),
                directory,
                directory.resolve("kdc.log"));
        if (!Deadline.after(Patience.ofSeconds(20)).await(() -> isListening(port))) {
            throw new IllegalStateException("the key distribution center does not listen" + center.logTail());
        }
    }

    private static boolean isListening(int port) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Returns the krb5.conf of clients and brokers. */
    Path configuration() {
        return directory.resolve("krb5.conf");
    }

    /** Creates a principal, and returns a keytab for it. */
    Path keytab(String principal) throws Exception {
        Path keytab = directory.resolve(principal.replace('/', '-') + ".keytab");
        run("kadmin.local", "-r", REALM, "-q", "addprinc -randkey " + principal);
        run("kadmin.local", "-r", REALM, "-q", "ktadd -k " + keytab + ' ' + principal);
        return keytab;
    }

    private void run(String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("commands.log").toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IllegalStateException(
                    List.of(command) + ": " + Files.readString(directory.resolve("commands.log")));
        }
    }

    @Override
    public void close() {
        center.stop();
    }
}
