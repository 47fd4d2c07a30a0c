// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DefaultDirectoryTest {
    private static final String SOCKET = "cluster.1.sock";

    private Path directory;
    private UserPrincipal own;
    private UserPrincipal other;

    @BeforeEach
    void findUsers(@TempDir Path temporary) throws IOException {
        directory = temporary.resolve("slipstream");
        own = Files.getOwner(temporary);
        other = temporary.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("65534");
    }

    /** Only root can give a directory away. */
    private Path madeByAnother(Path path) throws IOException {
        assumeTrue(own.getName().equals("root"), "needs root");
        return Files.setOwner(Files.createDirectories(path), other);
    }

    @Test
    void shouldUseADirectoryThatIsFreeOrOwn() throws IOException {
        assertThat(DefaultDirectory.forBroker(directory, own)).isEqualTo(directory);
        Files.createDirectory(directory);
        assertThat(DefaultDirectory.forBroker(directory, own)).isEqualTo(directory);
        assertThat(DefaultDirectory.socket(directory, SOCKET, own::equals)).isEqualTo(directory.resolve(SOCKET));
    }

    @Test
    void shouldStandInForADirectoryOfAnotherUser() throws IOException {
        madeByAnother(directory);
        madeByAnother(directory.resolveSibling("slipstream-squatted"));
        Files.createFile(directory.resolve(SOCKET));

        Path standIn = DefaultDirectory.forBroker(directory, own);

        assertThat(standIn.getFileName().toString()).startsWith("slipstream-").isNotEqualTo("slipstream-squatted");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(standIn)))
                .isEqualTo("rwx------");
        assertThat(DefaultDirectory.forBroker(directory, own))
                .as("the next start")
                .isEqualTo(standIn);
        Path socket = Files.createFile(standIn.resolve(SOCKET));
        assertThat(DefaultDirectory.socket(directory, SOCKET, own::equals)).isEqualTo(socket);
        assertThat(DefaultDirectory.socket(directory, SOCKET, other::equals)).isEqualTo(directory.resolve(SOCKET));
    }

    @Test
    void shouldFindTheSocketOfAnotherBrokerBesideItsOwnDirectory() throws IOException {
        Files.createDirectory(directory);
        Path socket = Files.createFile(
                madeByAnother(directory.resolveSibling("slipstream-7")).resolve(SOCKET));

        assertThat(DefaultDirectory.socket(directory, SOCKET, user -> true)).isEqualTo(socket);
        assertThat(DefaultDirectory.socket(directory, SOCKET, own::equals)).isEqualTo(directory.resolve(SOCKET));
    }
}
