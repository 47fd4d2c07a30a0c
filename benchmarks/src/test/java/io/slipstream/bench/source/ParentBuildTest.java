// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.process.StartFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In small repositories. */
class ParentBuildTest {
    private static final String CODE = "broker-plugin/core/src/main/java/Code.java";

    @TempDir
    private Path root;

    private Git git;
    private ParentBuild builds;

    @BeforeEach
    void createRepository() throws IOException {
        git = new Git(root);
        builds = new ParentBuild(root);
        git.run("init", "-q");
        git.run("config", "user.name", "test");
        git.run("config", "user.email", "test@localhost");
        git.run("config", "commit.gpgsign", "false");
        commit(CODE, "one");
    }

    @Test
    void shouldHaveNoParentOfTheFirstCommit() {
        assertThat(builds.find(null)).isEmpty();
    }

    @Test
    void shouldHaveNoParentInAShallowClone(@TempDir Path directory) throws IOException {
        commit(CODE, "two");
        git.run("clone", "-q", "--depth", "1", root.toUri().toString(), directory.toString());

        assertThat(new ParentBuild(directory).find(null)).isEmpty();
    }

    @Test
    void shouldHaveNoParentOutsideOfAClone(@TempDir Path directory) {
        assertThat(new ParentBuild(directory).find(null)).isEmpty();
    }

    @Test
    void shouldCompareACommitWithItsFirstParent() throws IOException {
        String parent = git.run("rev-parse", "HEAD");
        commit(CODE, "two");

        assertThat(builds.find(null)).hasValue(parent);
        assertThat(builds.isChangedSince(parent)).isTrue();
    }

    @Test
    void shouldCompareUncommittedCodeWithTheCommit() throws IOException {
        commit(CODE, "two");
        String head = git.run("rev-parse", "HEAD");
        write("proxy/src/main/java/New.java", "not yet added");

        assertThat(builds.find(null)).hasValue(head);
        assertThat(builds.isChangedSince(head)).isTrue();
        assertThat(Commit.of(git).isExact()).isFalse();
    }

    @Test
    void shouldSeeThatProductionCodeIsTheSame() throws IOException {
        String parent = git.run("rev-parse", "HEAD");
        commit("proxy/src/test/java/CodeTest.java", "test");
        commit("docs/manual.md", "words");

        assertThat(builds.isChangedSince(parent)).isFalse();
        commit("pom.xml", "other versions");
        assertThat(builds.isChangedSince(parent)).isTrue();
    }

    @Test
    void shouldNameTheCommitInFull() throws IOException {
        write("docs/manual.md", "a word that is not committed");

        Commit commit = Commit.of(git);

        assertThat(commit.isExact()).isTrue();
        assertThat(commit.toString()).isEqualTo(git.run("rev-parse", "HEAD")).hasSize(40);
        write(CODE, "not committed");
        assertThat(Commit.of(git).toString()).isEqualTo(commit.hash() + " with uncommitted changes");
    }

    @Test
    void shouldRefuseACommitThatIsNotThere() {
        assertThatThrownBy(() -> builds.find("0123456789"))
                .isInstanceOf(StartFailure.class)
                .hasMessageContaining("0123456789");
    }

    @Test
    void shouldReuseKeptJars() throws IOException {
        String commit = "a".repeat(40);
        write("target/gate/" + commit + "/slipstream-proxy.jar", "proxy");
        assertThat(builds.isKept(commit)).isFalse();
        write("target/gate/" + commit + "/slipstream-broker-plugin.jar", "agent");

        Jars jars = builds.jars(commit).orElseThrow();

        assertThat(jars.proxy()).hasContent("proxy");
        assertThat(jars.agent()).hasContent("agent");
    }

    @Test
    void shouldHaveNoJarsOfACommitThatDoesNotBuild() throws IOException {
        // This repository has no pom.xml.
        assertThat(builds.jars(git.run("rev-parse", "HEAD"))).isEmpty();

        assertThat(builds.log()).isNotEmptyFile();
        assertThat(git.run("worktree", "list").lines()).hasSize(1);
    }

    @Test
    void shouldForgetAllOtherJars() throws IOException {
        String own = git.run("rev-parse", "HEAD");
        for (String commit : List.of(own, "b".repeat(40))) {
            write("target/gate/" + commit + "/slipstream-proxy.jar", "proxy");
            write("target/gate/" + commit + "/slipstream-broker-plugin.jar", "agent");
        }

        // With uncommitted changes the parent is the checkout's own commit, and its own jars are of no commit.
        builds.keep(new Commit(own, true), own);

        assertThat(builds.isKept(own)).isTrue();
        assertThat(builds.isKept("b".repeat(40))).isFalse();
    }

    private void commit(String file, String text) throws IOException {
        write(file, text);
        git.run("add", "-A");
        git.run("commit", "-q", "-m", file);
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
