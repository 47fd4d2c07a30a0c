// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.protocol.control.ControlSecret.Side;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlSecretTest {
    private static final byte[] NONE = ControlSecret.NO_CERTIFICATE;
    private final ControlSecret secret = ControlSecret.of("correct horse battery staple");

    @Test
    void shouldMakeAnotherProofOfEveryPart() {
        String one = ControlSecret.newNonce();
        String two = ControlSecret.newNonce();
        Set<String> proofs = new HashSet<>();
        proofs.add(secret.proof(Side.PROXY, "c", 1, one, two, NONE));
        proofs.add(secret.proof(Side.BROKER, "c", 1, one, two, NONE));
        proofs.add(secret.proof(Side.PROXY, "d", 1, one, two, NONE));
        proofs.add(secret.proof(Side.PROXY, "c", 2, one, two, NONE));
        proofs.add(secret.proof(Side.PROXY, "c", 1, two, one, NONE));
        proofs.add(secret.proof(Side.PROXY, "c", 1, one, two, new byte[] {1}));
        proofs.add(ControlSecret.of("correct horse battery stable").proof(Side.PROXY, "c", 1, one, two, NONE));

        assertThat(proofs).hasSize(7).allMatch(proof -> proof.length() == 64);
        assertThat(ControlSecret.of(" correct horse battery staple\n").proof(Side.PROXY, "c", 1, one, two, NONE))
                .as("white space around it, as in a file")
                .isEqualTo(secret.proof(Side.PROXY, "c", 1, one, two, NONE));
    }

    @Test
    void shouldBeRandomEnoughAndNeverBeShown(@TempDir Path directory) throws Exception {
        assertThat(secret.toString()).doesNotContain("horse");
        assertThatThrownBy(() -> ControlSecret.of("swordfish"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("swordfish")
                .hasMessageContaining("16");
        Path file = Files.writeString(directory.resolve("secret"), "correct horse battery staple\n");
        assertThat(ControlSecret.read(file).proof(Side.PROXY, "c", 1, "a", "b", NONE))
                .isEqualTo(secret.proof(Side.PROXY, "c", 1, "a", "b", NONE));
        assertThatThrownBy(() -> ControlSecret.read(directory.resolve("no-such-file")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no-such-file");
    }

    @Test
    void shouldTellNoncesFromOtherStrings() {
        assertThat(ControlSecret.isNonce(ControlSecret.newNonce())).isTrue();
        assertThat(ControlSecret.newNonce()).isNotEqualTo(ControlSecret.newNonce());
        assertThat(ControlSecret.isNonce("")).isFalse();
        assertThat(ControlSecret.isNonce("z".repeat(64))).isFalse();
        assertThat(ControlSecret.isNonce("a".repeat(65))).isFalse();
    }
}
