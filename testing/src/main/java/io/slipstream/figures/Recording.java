// SPDX-License-Identifier: Apache-2.0
package io.slipstream.figures;

import io.slipstream.process.Checkout;
import io.slipstream.process.StartFailure;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Consumer;

/** Figures to be recorded of the code that runs now. */
public final class Recording {
    private final Manual manual;
    private final String name;
    private final String command;
    private final String commit;

    private Recording(Manual manual, String name, String command, String commit) {
        this.manual = manual;
        this.name = name;
        this.command = command;
        this.commit = commit;
    }

    /**
     * To be called before the run, because the checkout may change meanwhile.
     *
     * @param file a manual with a block of that name
     * @param command what records the figures again
     * @throws StartFailure if the file has no such block, or no commit has the main code as it is
     */
    public static Recording begin(Path file, String name, String command) {
        return begin(new CommitHistory(Checkout.root()), file, name, command);
    }

    static Recording begin(CommitHistory history, Path file, String name, String command) {
        Manual manual = new Manual(file);
        if (!Files.isRegularFile(file)
                || manual.figures().stream().noneMatch(block -> block.name().equals(name))) {
            throw new StartFailure(file + " has no line '<!-- figures " + name + " -->'");
        }
        history.obstacle().ifPresent(why -> {
            throw new StartFailure("figures must name their commit; " + why);
        });
        if (!history.uncommitted().isEmpty()) {
            throw new StartFailure("figures must name their commit, and this code has none: " + history.uncommitted());
        }
        return new Recording(manual, name, command, history.head());
    }

    /** Replaces the block by the command and these lines of Markdown. */
    public void write(List<String> tables) {
        write(List.of(), tables);
    }

    private void write(List<String> output, List<String> tables) {
        Figures recorded = Figures.of(name, commit, LocalDate.now(ZoneOffset.UTC), command, output, tables);
        manual.replace(block -> block.name().equals(name) ? recorded : block);
    }

    /**
     * Prints to the standard output, and replaces the block by what was printed.
     *
     * @param recording null to print only
     */
    public static void print(Recording recording, Consumer<PrintStream> report) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        report.accept(new PrintStream(printed, false, StandardCharsets.UTF_8));
        String text = printed.toString(StandardCharsets.UTF_8);
        System.out.print(text);
        if (recording != null) {
            recording.write(text.strip().lines().toList(), List.of());
        }
    }
}
