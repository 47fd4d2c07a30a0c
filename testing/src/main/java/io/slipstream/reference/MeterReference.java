// SPDX-License-Identifier: Apache-2.0
package io.slipstream.reference;

import io.slipstream.metrics.Label;
import io.slipstream.metrics.MeterDefinition;
import java.util.Locale;
import java.util.stream.Collectors;

/** Generates the reference in docs/metrics.md from a catalogue. A test compares the two. */
final class MeterReference {
    private MeterReference() {}

    /** A Markdown table of all meters, in the order of their definition. */
    static String markdown(MeterDefinition... catalogue) {
        StringBuilder table = new StringBuilder("| meter | kind | labels | what it tells |\n|---|---|---|---|\n");
        for (MeterDefinition meter : catalogue) {
            table.append("| `")
                    .append(meter.id())
                    .append("` | ")
                    .append(meter.kind().name().toLowerCase(Locale.ROOT))
                    .append(" | ")
                    .append(meter.labels().stream()
                            .map(MeterReference::describe)
                            .collect(Collectors.joining("; ")))
                    .append(" | ")
                    .append(meter.doc().replace("|", "\\|"))
                    .append(" |\n");
        }
        return table.toString();
    }

    private static String describe(Label label) {
        return label.isOpen()
                ? "`" + label.name() + "`"
                : "`" + label.name() + "`: " + String.join(", ", label.values());
    }
}
