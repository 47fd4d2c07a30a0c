// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import java.util.ArrayList;
import java.util.List;

/**
 * A line of the screen, made of styled pieces. Control characters become question marks, so that text from clients
 * cannot move the cursor.
 */
final class StyledLine {
    private final List<String> texts = new ArrayList<>();
    private final List<Style> styles = new ArrayList<>();

    StyledLine add(String text, Style style) {
        texts.add(printable(text));
        styles.add(style);
        return this;
    }

    StyledLine add(String text) {
        return add(text, Style.PLAIN);
    }

    private static String printable(String text) {
        StringBuilder printable = new StringBuilder(text.length());
        text.codePoints()
                .forEach(
                        c -> printable.appendCodePoint(Character.isISOControl(c) || !Character.isDefined(c) ? '?' : c));
        return printable.toString();
    }

    /** Renders at most {@code width} characters, with colours if {@code styled}. */
    String render(int width, boolean styled) {
        StringBuilder line = new StringBuilder();
        int left = width;
        for (int i = 0; i < texts.size() && left > 0; i++) {
            String text = texts.get(i).length() > left ? texts.get(i).substring(0, left) : texts.get(i);
            left -= text.length();
            line.append(styled ? styles.get(i).wrap(text) : text);
        }
        return styled ? line.toString() : line.toString().stripTrailing();
    }
}
