// SPDX-License-Identifier: Apache-2.0
package io.slipstream.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.process.Checkout;
import io.slipstream.process.StartFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recorded figures name a commit of the history. */
class FiguresTest {
    private static final String OUTPUT = "3 seeds\n";
    private static final Path MANUAL = Path.of("manual.md");

    @TempDir
    private Path directory;

    private Path checkout;
    private Path manual;
    private CommitHistory history;

    @BeforeEach
    void create() throws Exception {
        Assumptions.assumeTrue(hasGit(), "git is missing");
        checkout = Files.createDirectories(directory.resolve("checkout"));
        manual = checkout.resolve(MANUAL);
        history = new CommitHistory(checkout);
        git("init", "-q", "-b", "main");
        Files.writeString(manual, "before\n\n<!-- figures faults -->\nNone.\n" + Figures.END + "\n\nafter\n");
        commitCode("first");
    }

    /** The manuals as they are. */
    @Test
    void shouldNameACommitOfTheHistory() {
        CommitHistory own = new CommitHistory(Checkout.root());
        Assumptions.assumeTrue(own.obstacle().isEmpty(), own.obstacle().orElse(""));

        assertThat(FigureCheck.wrong(Checkout.root(), FiguresMain.MANUALS, own)).isEmpty();
        assertThat(FiguresMain.MANUALS.stream()
                        .flatMap(file -> new Manual(Checkout.root().resolve(file)).figures().stream())
                        .map(Figures::name))
                .contains("faults", "crash", "simulation", "fuzzing", "headline", "targets", "full-run");
    }

    @Test
    void shouldRecordTheCommitAndCountThoseBehind() throws Exception {
        record();

        assertThat(Files.readString(manual))
                .startsWith("before\n")
                .contains(
                        "Commit `" + history.head() + "`", "; 0 commits of main code behind.", "$ faults 3\n" + OUTPUT)
                .endsWith("after\n");
        assertThat(wrong()).isEmpty();

        commitCode("second");
        git("commit", "-q", "--allow-empty", "-m", "documents only");

        assertThat(wrong()).isEmpty();
        assertThat(history.mainCodeCommitsSince(figures().commit().orElseThrow()))
                .isEqualTo(1);
        assertThat(figures().behind(1).lines().get(0)).endsWith("; 1 commit of main code behind.");
        assertThat(figures().behind(1).commit()).isEqualTo(figures().commit());
    }

    @Test
    void shouldRefuseAForgedCommit() throws Exception {
        record();
        Files.writeString(manual, Files.readString(manual).replace(history.head(), "4a6cf38"));

        assertThat(wrong()).singleElement().asString().contains("4a6cf38, which the history does not have");
    }

    @Test
    void shouldRefuseACommitOfAnotherBranch() throws Exception {
        git("checkout", "-q", "-b", "other");
        commitCode("elsewhere");
        record();
        git("add", "-A");
        String recorded = Files.readString(manual);
        git("reset", "-q", "--hard", "main");
        git("checkout", "-q", "main");
        Files.writeString(manual, recorded);

        assertThat(wrong()).singleElement().asString().contains("which the history does not have");
    }

    @Test
    void shouldRefuseFiguresWithoutACommit() throws Exception {
        record();
        String recorded = Files.readString(manual);
        Files.writeString(manual, recorded.replaceFirst("Commit .*\n", ""));
        assertThat(wrong()).singleElement().asString().contains("name no commit");

        Files.writeString(manual, recorded + "| a | 1 | 2 | 3 |\n");
        assertThat(wrong()).singleElement().asString().contains("outside a block");

        Files.writeString(manual, recorded + "\nMeasured at commit 4a6cf38.\n");
        assertThat(wrong()).singleElement().asString().contains("4a6cf38");
    }

    @Test
    void shouldRecordOnlyCommittedCode() throws Exception {
        Files.writeString(code(), "changed");
        assertThatThrownBy(this::record).isInstanceOf(StartFailure.class).hasMessageContaining("this code has none");

        commitCode("committed");
        Files.writeString(manual, "no block\n");
        assertThatThrownBy(this::record).isInstanceOf(StartFailure.class).hasMessageContaining("has no line");
    }

    @Test
    void shouldNameWhyThereIsNoHistory() throws Exception {
        commitCode("second");
        git(
                "clone",
                "-q",
                "--depth",
                "1",
                "file://" + checkout,
                directory.resolve("shallow").toString());

        assertThat(new CommitHistory(directory.resolve("shallow")).obstacle())
                .hasValueSatisfying(why -> assertThat(why).contains("shallow"));
        assertThat(new CommitHistory(directory).obstacle())
                .hasValueSatisfying(why -> assertThat(why).contains("no git history"));
        assertThat(history.obstacle()).isEmpty();
    }

    private void record() {
        Recording.print(Recording.begin(history, manual, "faults", "faults 3"), out -> out.print(OUTPUT));
    }

    private List<String> wrong() {
        return FigureCheck.wrong(checkout, List.of(MANUAL), history);
    }

    private Figures figures() {
        return new Manual(manual).figures().get(0);
    }

    private Path code() {
        return checkout.resolve("proxy/src/main/Code.java");
    }

    private void commitCode(String text) throws Exception {
        Files.createDirectories(code().getParent());
        Files.writeString(code(), text);
        git("add", "-A");
        git("commit", "-q", "-m", text);
    }

    private void git(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(
                List.of("git", "-C", checkout.toString(), "-c", "user.name=test", "-c", "user.email=test@localhost"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    private static boolean hasGit() throws InterruptedException {
        try {
            return new ProcessBuilder("git", "--version").start().waitFor() == 0;
        } catch (IOException missing) {
            return false;
        }
    }
}
