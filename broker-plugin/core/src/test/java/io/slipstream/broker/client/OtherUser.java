// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** A process of another user that connects to a Unix socket. Only root can start it. */
public final class OtherUser {
    public static final int UID = 54321;

    private static final String CONNECT = """
            use IO::Socket::UNIX;
            $SIG{PIPE} = "IGNORE";
            my $socket = IO::Socket::UNIX->new(Peer => $ARGV[0]) or do { print "refused: $!\\n"; exit };
            $socket->send(pack("H*", $ARGV[1]));
            $socket->recv(my $answer, 1000);
            print length($answer) ? "answered\\n" : "closed\\n";
            """;

    private OtherUser() {}

    /** Skips the test if this process cannot become another user. */
    public static void assumePossible() {
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "only root can become another user");
        for (String tool : new String[] {"/usr/bin/setpriv", "/usr/bin/perl"}) {
            Assumptions.assumeTrue(Files.isExecutable(Path.of(tool)), tool);
        }
    }

    /**
     * Sends the bytes to the socket as the other user. Returns {@code refused: REASON} (by the system), {@code closed}
     * or {@code answered}.
     */
    public static String sends(Path socket, byte[] bytes) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        "/usr/bin/setpriv",
                        "--reuid=" + UID,
                        "--regid=" + UID,
                        "--clear-groups",
                        "/usr/bin/perl",
                        "-e",
                        CONNECT,
                        socket.toString(),
                        java.util.HexFormat.of().formatHex(bytes))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line = output.readLine();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                throw new IOException("the other user's process does not end");
            }
            return line;
        } finally {
            process.destroyForcibly();
        }
    }
}
