// SPDX-License-Identifier: Apache-2.0
package io.slipstream.figures;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Whether recorded figures name a commit, and whether the history has it. */
final class FigureCheck {
    private FigureCheck() {}

    /** Returns what is wrong with the figures of these manuals. */
    static List<String> wrong(Path root, List<Path> manuals, CommitHistory history) {
        List<String> wrong = new ArrayList<>();
        for (Path file : manuals) {
            Manual manual = new Manual(root.resolve(file));
            manual.strayRows().forEach(row -> wrong.add(file + ": figures outside a block: " + row));
            manual.commits().stream()
                    .filter(commit -> !history.contains(commit))
                    .forEach(commit -> wrong.add(file + ": cites " + commit + ", which the history does not have"));
            manual.figures().stream()
                    .filter(block -> block.holdsFigures() && block.commit().isEmpty())
                    .forEach(block -> wrong.add(file + ": the figures " + block.name() + " name no commit"));
        }
        return wrong;
    }
}
