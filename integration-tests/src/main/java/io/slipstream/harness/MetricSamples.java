package io.slipstream.harness;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One scrape of a Prometheus text page. Immutable. */
public final class MetricSamples {
    private static final Pattern LINE = Pattern.compile("([A-Za-z_:][\\w:]*)(?:\\{(.*)})?\\s+(\\S+)(?:\\s+-?\\d+)?");
    private static final Pattern LABEL = Pattern.compile("([A-Za-z_]\\w*)=\"((?:[^\"\\\\]|\\\\.)*)\",?");

    private final List<Sample> samples;

    private MetricSamples(List<Sample> samples) {
        this.samples = samples;
    }

    /** One line of the page. */
    public record Sample(String name, Map<String, String> labels, double value) {}

    /** Comments and blank lines are skipped; any other line that is not a sample is refused. */
    public static MetricSamples parse(String page) {
        List<Sample> samples = new ArrayList<>();
        for (String line : page.lines().toList()) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                throw new IllegalArgumentException("not a sample: " + line);
            }
            samples.add(new Sample(matcher.group(1), labels(matcher.group(2)), number(matcher.group(3))));
        }
        return new MetricSamples(List.copyOf(samples));
    }

    public List<Sample> all() {
        return samples;
    }

    /** Sum over all samples of this name whose labels contain the given pairs {@code key, value, key, value …}; 0 if there is none. */
    public double sum(String name, String... labels) {
        double sum = 0;
        for (Sample sample : samples) {
            if (sample.name.equals(name) && matches(sample, labels)) {
                sum += sample.value;
            }
        }
        return sum;
    }

    /** As {@link #sum}, for counters of things. */
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

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new LinkedHashMap<>();
        if (text != null) {
            Matcher matcher = LABEL.matcher(text);
            while (matcher.find()) {
                labels.put(matcher.group(1), matcher.group(2));
            }
        }
        return labels;
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }
}
