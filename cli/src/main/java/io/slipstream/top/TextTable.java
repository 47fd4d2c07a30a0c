// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import java.util.ArrayList;
import java.util.List;

/** A table whose first column (names) shrinks when the other columns need room. */
final class TextTable {
    private static final int LEAST_NAME = 12;
    private static final String GAP = "  ";

    private final String[] titles;
    private final int leftAligned;
    private final List<String[]> texts = new ArrayList<>();
    private final List<Style[]> styles = new ArrayList<>();

    /** @param leftAligned number of leading text columns; the others are numbers */
    TextTable(int leftAligned, String... titles) {
        this.leftAligned = leftAligned;
        this.titles = titles;
    }

    /** Adds a row of cells with the plain style; {@link #style} changes it. */
    TextTable row(String... cells) {
        texts.add(cells);
        styles.add(new Style[cells.length]);
        return this;
    }

    /** Sets the style of one cell of the last row. */
    TextTable style(int column, Style style) {
        styles.get(styles.size() - 1)[column] = style;
        return this;
    }

    List<StyledLine> lines(int width) {
        int[] widths = new int[titles.length];
        int total = 0;
        for (int i = 0; i < titles.length; i++) {
            widths[i] = titles[i].length();
            for (String[] row : texts) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
            total += widths[i] + (i == 0 ? 0 : GAP.length());
        }
        widths[0] = Math.max(Math.min(widths[0], LEAST_NAME), widths[0] + Math.min(0, width - total));
        List<StyledLine> lines = new ArrayList<>();
        StyledLine head = new StyledLine();
        StringBuilder titleLine = new StringBuilder();
        for (int i = 0; i < titles.length; i++) {
            titleLine.append(i == 0 ? "" : GAP).append(padded(titles[i], widths[i], i));
        }
        titleLine.append(" ".repeat(Math.max(0, width - titleLine.length())));
        lines.add(head.add(titleLine.toString(), Style.HEAD));
        for (int r = 0; r < texts.size(); r++) {
            StyledLine line = new StyledLine();
            for (int i = 0; i < titles.length; i++) {
                Style style = styles.get(r)[i];
                line.add(i == 0 ? "" : GAP)
                        .add(padded(texts.get(r)[i], widths[i], i), style == null ? Style.PLAIN : style);
            }
            lines.add(line);
        }
        return lines;
    }

    private String padded(String text, int width, int column) {
        if (text.length() > width) {
            return width > 1 ? text.substring(0, width - 1) + "…" : text.substring(0, width);
        }
        String padding = " ".repeat(width - text.length());
        return column < leftAligned ? text + padding : padding + text;
    }
}
