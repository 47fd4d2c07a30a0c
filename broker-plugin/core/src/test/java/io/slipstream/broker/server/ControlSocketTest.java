// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.broker.client.ControlClient;
import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The control socket of the whole plugin: its file, and peers that send garbage or nothing. */
@Timeout(60)
class ControlSocketTest extends PluginServerFixture {
    @Test
    void shouldCloseControlConnectionsOnGarbage() throws Exception {
        Random random = new Random(seed);
        for (int round = 0; round < 50; round++) {
            byte[] garbage = new byte[1 + random.nextInt(200)];
            random.nextBytes(garbage);
            garbage[0] |= (byte) 0x80; // a negative size
            closed(ByteBuffer.wrap(garbage));
        }
        closed(ByteBuffer.allocate(4).putInt(ControlCodec.MAX_FRAME_BYTES + 1).flip());
        closed(ByteBuffer.allocate(8).putInt(4).putInt(1).flip());
        closed(ControlCodec.encodeRequest(0, new ControlRequest.OpenLink(4096, 1)));
        try (ControlClient control = new ControlClient(socket)) {
            assertThat(control.ask(new ControlRequest.Hello("fine", "1"), ControlResponse.Hello.class)
                            .error())
                    .isEqualTo(ControlError.NONE);
        }
    }

    private void closed(ByteBuffer bytes) throws IOException {
        try (ControlClient control = new ControlClient(socket)) {
            control.write(bytes);
            control.awaitClose();
        }
    }

    @Test
    void shouldCloseControlConnectionsWithoutHello() throws Exception {
        try (ControlClient control = new ControlClient(socket)) {
            long startNs = System.nanoTime();
            control.awaitClose();
            assertThat(Duration.ofNanos(System.nanoTime() - startNs)).isLessThan(Duration.ofSeconds(15));
        }
    }

    @Test
    void shouldReplaceStaleSocketsAndRemoveItsOwn() throws Exception {
        server.close();
        Files.createFile(socket);
        server = start(Map.of());
        try (ControlClient control = new ControlClient(socket)) {
            control.ask(new ControlRequest.Hello("fine", "1"), ControlResponse.Hello.class);
            assertThat(Files.getPosixFilePermissions(socket)).hasSize(2);
        }
        server.close();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void shouldRefuseADirectoryOpenToOthers() throws Exception {
        Path open = Files.createDirectory(directory.resolve("open"));
        Files.setPosixFilePermissions(open, java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));

        assertThatThrownBy(() -> start(Map.of("slipstream.directory", open.toString())))
                .hasMessageContaining(open.toString())
                .hasMessageContaining("chmod 700");
        assertThatThrownBy(() -> start(Map.of("slipstream.directory", "/proc/no/such")))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> start(Map.of("slipstream.directory", directory + "/" + "x".repeat(100))))
                .hasMessageContaining("shorten");
    }
}
