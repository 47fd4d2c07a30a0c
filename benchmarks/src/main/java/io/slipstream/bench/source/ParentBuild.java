// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.source;

import io.slipstream.process.StartFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The commit that a checkout is compared with, and its proxy and agent. They are built in a git worktree below {@code
 * target/gate}, which keeps the jars by commit for the next time.
 */
public final class ParentBuild {
    private static final List<String> MODULES =
            List.of("metrics", "rdma-transport", "protocol-adapter", "link", "proxy", "broker-plugin");
    private static final long BUILD_MINUTES = 15;

    private final Git git;
    private final Path kept;

    public ParentBuild(Path root) {
        git = new Git(root);
        kept = root.resolve("target/gate");
    }

    /**
     * Returns the commit to compare with: that commit, or the checkout's own if production code differs from it, or the
     * first parent; nothing for the first commit of a repository, in a shallow clone, and outside of any clone.
     *
     * @param wanted null without a wish
     * @throws StartFailure if there is no such commit here
     */
    public Optional<String> find(String wanted) {
        if (wanted != null) {
            return Optional.of(git.run("rev-parse", "--verify", wanted + "^{commit}"));
        } else if (git.find("rev-parse", "--verify", "HEAD").isEmpty()) {
            return Optional.empty();
        } else if (isChangedSince("HEAD")) {
            return Optional.of(git.run("rev-parse", "HEAD"));
        }
        return git.find("rev-parse", "--verify", "HEAD^");
    }

    /** Returns whether production code of the checkout, committed or not, differs from that commit's. */
    public boolean isChangedSince(String commit) {
        List<String> paths = new ArrayList<>(List.of("--", "pom.xml"));
        for (String module : MODULES) {
            paths.add(":(glob)" + module + "/**/src/main/**");
            paths.add(":(glob)" + module + "/**/pom.xml");
        }
        return !git.run(command(List.of("diff", "--name-only", commit), paths)).isEmpty()
                || !git.run(command(List.of("ls-files", "--others", "--exclude-standard"), paths))
                        .isEmpty();
    }

    private static String[] command(List<String> first, List<String> paths) {
        return Stream.concat(first.stream(), paths.stream()).toArray(String[]::new);
    }

    public boolean isKept(String commit) {
        return keptJars(commit).exist();
    }

    /** Returns the commit's jars, and builds them unless they are kept; nothing if the build fails. */
    public Optional<Jars> jars(String commit) throws IOException {
        if (!isKept(commit)) {
            Path worktree = kept.resolve("worktree");
            removeWorktree(worktree);
            git.run("worktree", "add", "--detach", "--force", worktree.toString(), commit);
            try {
                if (!isBuilt(worktree)) {
                    return Optional.empty();
                }
                Jars.builtIn(worktree).copyTo(keptJars(commit));
            } finally {
                removeWorktree(worktree);
            }
        }
        return Optional.of(keptJars(commit));
    }

    /** Keeps the checkout's own jars, which the next commit is compared with, and forgets all others but these. */
    public void keep(Commit own, String parent) throws IOException {
        if (own.isExact()) {
            Jars.ofCheckout().copyTo(keptJars(own.hash()));
        }
        try (Stream<Path> all = Files.list(kept)) {
            for (Path old : all.filter(each -> !List.of(own.hash(), parent)
                            .contains(each.getFileName().toString()))
                    .toList()) {
                delete(old);
            }
        }
    }

    private Jars keptJars(String commit) {
        return Jars.keptIn(kept.resolve(commit));
    }

    private void removeWorktree(Path worktree) throws IOException {
        git.find("worktree", "remove", "--force", worktree.toString());
        delete(worktree);
        git.run("worktree", "prune");
    }

    /** Returns where the output of the last build is. */
    public Path log() {
        return kept.resolve("build.log");
    }

    private boolean isBuilt(Path worktree) throws IOException {
        Process build = new ProcessBuilder(
                        "mvn",
                        "-B",
                        "-q",
                        "-ntp",
                        "-Dstyle.color=never",
                        "-Dquick",
                        "-T",
                        "2",
                        "-pl",
                        "proxy,broker-plugin/agent",
                        "-am",
                        "package")
                .directory(worktree.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log().toFile())
                .start();
        try {
            if (!build.waitFor(BUILD_MINUTES, TimeUnit.MINUTES)) {
                throw new StartFailure(
                        "the parent's build takes more than " + BUILD_MINUTES + " minutes; see " + log());
            }
            return build.exitValue() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartFailure("interrupted while the parent was built", e);
        } finally {
            build.destroy();
        }
    }

    private static void delete(Path path) throws IOException {
        if (Files.exists(path)) {
            try (Stream<Path> files = Files.walk(path)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
