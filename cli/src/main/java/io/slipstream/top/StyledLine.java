package io.slipstream.top;

import java.util.ArrayList;
import java.util.List;

/**
 * A line of a screen, in pieces. What came from clients cannot leave its place: control characters become question
 * marks.
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

    /** At most so many characters, with colours if the terminal is to have them. */
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
