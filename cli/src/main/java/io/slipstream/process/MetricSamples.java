// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One scrape of a Prometheus text page. Immutable. */
public final class MetricSamples {
    private final List<Sample> samples;

    private MetricSamples(List<Sample> samples) {
        this.samples = samples;
    }

    /** A sample, from one line of the page. */
    public record Sample(String name, Map<String, String> labels, double value) {}

    /**
     * Parses a page. Skips comments and blank lines.
     *
     * @throws IllegalArgumentException if another line is not a sample
     */
    public static MetricSamples parse(String page) {
        List<Sample> samples = new ArrayList<>();
        for (String line : page.lines().toList()) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            samples.add(sample(line));
        }
        return new MetricSamples(List.copyOf(samples));
    }

    public List<Sample> all() {
        return samples;
    }

    /**
     * Returns the sum of all samples with this name whose labels contain the pairs {@code key, value, key, value …}; 0
     * without a match.
     */
    public double sum(String name, String... labels) {
        double sum = 0;
        for (Sample sample : samples) {
            if (sample.name.equals(name) && matches(sample, labels)) {
                sum += sample.value;
            }
        }
        return sum;
    }

    /** As {@link #sum}, for counters, rounded to a whole number. */
    public long count(String name, String... labels) {
        return Math.round(sum(name, labels));
    }

    public boolean has(String name) {
        return samples.stream().anyMatch(sample -> sample.name.equals(name));
    }

    private static boolean matches(Sample sample, String[] labels) {
        for (int i = 0; i < labels.length; i += 2) {
            if (!labels[i + 1].equals(sample.labels.get(labels[i]))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Hand-written because tests parse many pages: with regular expressions, parsing took longer than rendering in the
     * proxy.
     */
    private static Sample sample(String line) {
        int at = endOfName(line, 0);
        String name = line.substring(0, at);
        Map<String, String> labels = new LinkedHashMap<>();
        if (at < line.length() && line.charAt(at) == '{') {
            at++;
            while (at < line.length() && line.charAt(at) != '}') {
                int equals = endOfName(line, at);
                int end = line.startsWith("=\"", equals) ? endOfQuoted(line, equals + 2) : -1;
                if (equals == at || end == -1) {
                    throw refused(line);
                }
                labels.put(line.substring(at, equals), line.substring(equals + 2, end));
                at = line.startsWith(",", end + 1) ? end + 2 : end + 1;
            }
            at++;
        }
        String[] rest = at < line.length() ? line.substring(at).trim().split("\\s+") : new String[0];
        boolean apart = at < line.length() && Character.isWhitespace(line.charAt(at));
        if (name.isEmpty() || Character.isDigit(name.charAt(0)) || !apart || rest.length > 2 || rest[0].isEmpty()) {
            throw refused(line);
        }
        return new Sample(name, labels, number(rest[0]));
    }

    private static int endOfName(String line, int from) {
        int at = from;
        while (at < line.length() && isOfName(line.charAt(at))) {
            at++;
        }
        return at;
    }

    private static boolean isOfName(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == ':';
    }

    /** Returns the index of the closing quote, or -1. */
    private static int endOfQuoted(String line, int from) {
        for (int at = from; at < line.length(); at++) {
            if (line.charAt(at) == '\\') {
                at++;
            } else if (line.charAt(at) == '"') {
                return at;
            }
        }
        return -1;
    }

    private static IllegalArgumentException refused(String line) {
        return new IllegalArgumentException("not a metric sample: " + line);
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }
}
