// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The changes of a patch to one source.
 *
 * @param file relative to the checkout
 */
record FileChange(Path file, List<Hunk> hunks) {
    private static final String SOURCES = "src/main/java";

    /** The module's directory, relative to the checkout. */
    String module() {
        String path = file.toString();
        return path.substring(0, path.indexOf("/" + SOURCES));
    }

    /** The source's path below the directory of sources. */
    Path source() {
        return Path.of(module(), SOURCES).relativize(file);
    }

    /** The changed lines. */
    List<String> apply(List<String> lines) throws BadPatchException {
        List<String> changed = new ArrayList<>();
        int at = 0;
        for (Hunk hunk : hunks) {
            int found = hunk.find(lines, at);
            if (found < 0) {
                throw new BadPatchException("does not apply to " + file + " at line " + (hunk.line() + 1));
            }
            changed.addAll(lines.subList(at, found));
            changed.addAll(hunk.after());
            at = found + hunk.before().size();
        }
        changed.addAll(lines.subList(at, lines.size()));
        return changed;
    }
}
