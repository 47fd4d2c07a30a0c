// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.process.Checkout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The patches fit the sources of today. {@code ./slipstream mutants} runs the tests that must see them. */
class MutantsTest {
    private static final Path ROOT = Checkout.root();
    private static final Path PATCHES = ROOT.resolve(MutantsMain.PATCHES);

    @Test
    void shouldHaveAtLeastSixtyMutants() throws BadPatchException {
        assertThat(Mutant.all(PATCHES)).hasSizeGreaterThanOrEqualTo(60);
    }

    static Stream<Mutant> mutants() throws BadPatchException {
        return Mutant.all(PATCHES).stream();
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void shouldApply(Mutant mutant) throws Exception {
        for (FileChange change : mutant.changes()) {
            assertThat(Overlay.changed(ROOT, change)).isNotEqualTo(Files.readAllLines(ROOT.resolve(change.file())));
        }
    }

    @Test
    void shouldNameMutantsThatMaySurvive() throws BadPatchException {
        assertThat(mutants().map(Mutant::name))
                .containsAll(Survivors.read(PATCHES.resolve("survivors.md")).keySet());
    }

    @Test
    void shouldFindMovedLinesAndRefuseChangedOnes() throws BadPatchException {
        Mutant mutant = PatchParser.parse("001-moved", patch());
        FileChange change = mutant.changes().get(0);

        assertThat(mutant.bug()).isEqualTo("The sum is wrong. Quite.");
        assertThat(mutant.module()).isEqualTo("a/b");
        assertThat(mutant.tests()).containsExactly(new TestPattern("a", "x.*Test"), new TestPattern("c/d", "Y"));
        assertThat(change.apply(List.of("new", "one", "two", "three", "", "four")))
                .containsExactly("new", "one", "2", "two and a half", "three", "", "four");
        assertThat(change.apply(List.of("one", "two", "three", "", "one", "two", "three", "")))
                .as("the nearest")
                .startsWith("one", "2");
        assertThatThrownBy(() -> change.apply(List.of("one", "three", "")))
                .isInstanceOf(BadPatchException.class)
                .hasMessageContaining("X.java at line 1");
    }

    private static List<String> patch() {
        return List.of(
                "Bug: The sum is wrong.",
                "  Quite.",
                "Tests: a/x.*Test",
                "  c/d/Y",
                "",
                "diff --git a/a/b/src/main/java/X.java b/a/b/src/main/java/X.java",
                "--- a/a/b/src/main/java/X.java",
                "+++ b/a/b/src/main/java/X.java",
                "@@ -1,4 +1,5 @@ class X",
                " one",
                "-two",
                "+2",
                "+two and a half",
                " three",
                " ");
    }

    @Test
    void shouldMatchClassesByPattern() {
        assertThat(new TestPattern("m", "a.b.*Test").matches("a.b.c.XTest")).isTrue();
        assertThat(new TestPattern("m", "a.b.*Test").matches("aXb.XTest")).isFalse();
        assertThat(new TestPattern("m", "*.Fetch*").matches("a.FetchTest")).isTrue();
    }

    @Test
    void shouldCallFewKilledOrAnUnnamedSurvivorBad() throws BadPatchException {
        Mutant mutant = PatchParser.parse("001-moved", patch());
        Verdict killed = new Verdict(mutant, Verdict.Kind.KILLED, "X.y", 1);
        Verdict survived = new Verdict(mutant, Verdict.Kind.SURVIVED, "", 1);
        Map<String, String> allowed = Map.of("001-moved", "harmless");

        assertThat(report(allowed, 17, killed, 3, survived).isGood()).isTrue();
        assertThat(report(allowed, 16, killed, 3, survived).isGood()).isFalse();
        assertThat(report(Map.of(), 19, killed, 1, survived).isGood()).isFalse();
        assertThat(report(allowed, 19, killed, 1, new Verdict(mutant, Verdict.Kind.NOT_JUDGED, "", 1))
                        .isGood())
                .isFalse();
        assertThat(report(allowed, 17, killed, 3, survived).text())
                .contains("| a/b | 20 | 17 (85 %) |")
                .contains("001-moved may survive: harmless");
    }

    private static MutantReport report(Map<String, String> allowed, int some, Verdict one, int more, Verdict other) {
        return new MutantReport(
                allowed,
                Stream.concat(
                                Stream.generate(() -> one).limit(some),
                                Stream.generate(() -> other).limit(more))
                        .toList());
    }
}
