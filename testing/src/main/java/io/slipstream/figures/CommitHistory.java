// SPDX-License-Identifier: Apache-2.0
package io.slipstream.figures;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The history of a checkout, asked of git. */
public final class CommitHistory {
    private static final int ABBREVIATION = 12;
    /** Where code lies that is shipped. */
    private static final List<String> MAIN_CODE = Stream.of(
                    "proxy", "link", "rdma-transport", "broker-plugin", "protocol-adapter", "metrics")
            .map(module -> ":(glob)" + module + "/**/src/main/**")
            .toList();

    private final Path checkout;

    public CommitHistory(Path checkout) {
        this.checkout = checkout;
    }

    private record Answer(int status, String text) {}

    /** Returns why the history cannot be asked for any commit; empty if it can. */
    public Optional<String> obstacle() {
        try {
            Answer top = git("rev-parse", "--show-toplevel");
            if (top.status != 0 || !Files.isSameFile(Path.of(top.text), checkout)) {
                return Optional.of("no git history: " + checkout + " is not a checkout");
            }
        } catch (IOException e) {
            return Optional.of("no git history: " + e.getMessage());
        }
        return succeed("rev-parse", "--is-shallow-repository").equals("true")
                ? Optional.of("no git history: the clone is shallow")
                : Optional.empty();
    }

    /** Returns the current commit, abbreviated. */
    String head() {
        return succeed("rev-parse", "--short=" + ABBREVIATION, "HEAD");
    }

    /** Returns whether the commit exists and led to the current one. */
    boolean contains(String commit) {
        return answer("cat-file", "-e", commit + "^{commit}").status == 0
                && answer("merge-base", "--is-ancestor", commit, "HEAD").status == 0;
    }

    /** Returns the number of commits since this one that change main code. */
    int mainCodeCommitsSince(String commit) {
        return Integer.parseInt(succeed(withMainCode("rev-list", "--count", "--no-merges", commit + "..HEAD")));
    }

    /** Returns the changed files of main code that no commit has. */
    List<String> uncommitted() {
        return succeed(withMainCode("status", "--porcelain")).lines().toList();
    }

    private static String[] withMainCode(String... arguments) {
        return Stream.of(Arrays.stream(arguments), Stream.of("--"), MAIN_CODE.stream())
                .flatMap(each -> each)
                .toArray(String[]::new);
    }

    private String succeed(String... arguments) {
        Answer answer = answer(arguments);
        if (answer.status != 0) {
            throw new IllegalStateException("git " + String.join(" ", arguments) + ": " + answer.text);
        }
        return answer.text;
    }

    private Answer answer(String... arguments) {
        try {
            return git(arguments);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Answer git(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("git", "-C", checkout.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            return new Answer(process.waitFor(), text.strip());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
