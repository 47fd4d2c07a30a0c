// SPDX-License-Identifier: Apache-2.0
package io.slipstream.figures;

import io.slipstream.process.Checkout;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./slipstream figures}: how many commits of main code each recorded table is behind. */
@Command(name = "figures")
public final class FiguresMain implements Callable<Integer> {
    /** The manuals with recorded figures. */
    static final List<Path> MANUALS = Stream.of(
                    "README.md",
                    "docs/reliability.md",
                    "docs/fuzzing.md",
                    "docs/benchmarks.md",
                    "docs/benchmarks/full-run.md")
            .map(Path::of)
            .toList();

    private static final int FAILED = 1;

    @Option(names = "--write")
    private boolean write;

    private final Path root;
    private final CommitHistory history;

    FiguresMain(Path root) {
        this.root = root;
        history = new CommitHistory(root);
    }

    public static void main(String[] args) {
        System.exit(new CommandLine(new FiguresMain(Checkout.root())).execute(args));
    }

    @Override
    public Integer call() {
        String obstacle = history.obstacle().orElse(null);
        if (obstacle != null) {
            System.err.println("slipstream figures: " + obstacle);
            return FAILED;
        }
        List<String> wrong = FigureCheck.wrong(root, MANUALS, history);
        if (!wrong.isEmpty()) {
            wrong.forEach(System.err::println);
            return FAILED;
        }
        MANUALS.forEach(file -> {
            Manual manual = new Manual(root.resolve(file));
            manual.figures().forEach(block -> System.out.printf("%-28s %-12s %s%n", file, block.name(), age(block)));
            if (write) {
                manual.replace(block -> block.commit()
                        .map(commit -> block.behind(history.mainCodeCommitsSince(commit)))
                        .orElse(block));
            }
        });
        return 0;
    }

    private String age(Figures block) {
        return block.commit()
                .map(commit -> commit + ", " + history.mainCodeCommitsSince(commit) + " commits of main code behind")
                .orElse("not recorded");
    }
}
