// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.alerts;

import io.slipstream.process.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The shipped alert rules, as text. */
final class AlertRules {
    static final Path FILE = Checkout.root().resolve("deploy/prometheus/slipstream-alerts.yml");
    static final Path TESTS = Checkout.root().resolve("deploy/prometheus/tests/slipstream-alerts.yml");
    static final Path RUNBOOKS = Checkout.root().resolve("docs/runbooks");

    private static final Pattern RULE =
            Pattern.compile("- alert: (\\w+)\\n(.*?)(?=- alert: |- name: |\\z)", Pattern.DOTALL);
    private static final Pattern EXPRESSION =
            Pattern.compile("expr: (?:\\|\\n)?(.*?)\\n +(?:for|labels):", Pattern.DOTALL);
    private static final Pattern DURATION = Pattern.compile("(?m)^( +for:) \\w+$");
    private static final Pattern WINDOW = Pattern.compile("\\[\\w+]");

    private AlertRules() {}

    static String text() {
        return read(FILE);
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the bodies of the rules, by alert name. */
    static Map<String, String> bodies() {
        Map<String, String> bodies = new LinkedHashMap<>();
        Matcher rule = RULE.matcher(text());
        while (rule.find()) {
            bodies.put(rule.group(1), rule.group(2));
        }
        return bodies;
    }

    static Expression expression(String body) {
        Matcher matcher = EXPRESSION.matcher(body);
        if (!matcher.find()) {
            throw new IllegalArgumentException("no expression in " + body);
        }
        return new Expression(matcher.group(1));
    }

    /**
     * Returns the rules with shorter windows and durations. Everything else is unchanged.
     *
     * @param longWindow replaces half an hour, for repeated slow events
     */
    static String shortened(String window, String longWindow, String duration) {
        String text = DURATION.matcher(text()).replaceAll("$1 " + duration);
        Matcher windows = WINDOW.matcher(text);
        return windows.replaceAll(found -> "[" + (found.group().equals("[30m]") ? longWindow : window) + "]");
    }
}
