// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.alerts;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.Label;
import io.slipstream.metrics.MeterDefinition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A PromQL expression of an alert or a panel, compared with the meter catalogues. Immutable. */
record Expression(String text) {
    /** Labels added by Prometheus and scrape configurations. */
    private static final Set<String> OF_TARGETS = Set.of("job", "instance", "le");

    private static final Set<String> OTHERS = Set.of("up", "process_start_time_seconds");
    private static final Pattern SELECTOR = Pattern.compile("\\b(up|[a-z]+(?:_[a-z]+)+)(?:\\{([^}]*)})?(?![a-z_(])");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)(=~|!~|!=|=)\"([^\"]*)\"");
    private static final Pattern GROUPING = Pattern.compile("\\b(?:by|without|ignoring|on)\\s*\\(([^)]*)\\)");
    private static final Pattern FUNCTION = Pattern.compile("\\b\\w+\\s*(?=\\()");
    private static final Map<String, MeterDefinition> METERS = meters();

    private static Map<String, MeterDefinition> meters() {
        Map<String, MeterDefinition> meters = new HashMap<>();
        List<MeterDefinition> all = new ArrayList<>(List.of(Meter.values()));
        all.addAll(List.of(PluginMeter.values()));
        for (MeterDefinition meter : all) {
            if (meter.kind() == MeterDefinition.Kind.LATENCY) {
                for (String suffix : List.of("_bucket", "_sum", "_count")) {
                    meters.put(meter.id() + suffix, meter);
                }
            } else {
                meters.put(meter.id(), meter);
            }
        }
        return meters;
    }

    /** Returns the known meters that it names. */
    List<MeterDefinition> known() {
        List<MeterDefinition> known = new ArrayList<>();
        Matcher selector = SELECTOR.matcher(withoutFunctions());
        while (selector.find()) {
            MeterDefinition meter = METERS.get(selector.group(1));
            if (meter != null) {
                known.add(meter);
            }
        }
        return known;
    }

    /** Returns unknown meters, labels and label values. */
    List<String> unknown() {
        List<String> unknown = new ArrayList<>();
        List<String> labels = new ArrayList<>(OF_TARGETS);
        Matcher selector = SELECTOR.matcher(withoutFunctions());
        while (selector.find()) {
            String name = selector.group(1);
            MeterDefinition meter = METERS.get(name);
            if (meter != null) {
                meter.labels().forEach(label -> labels.add(label.name()));
                compare(name, meter, selector.group(2), unknown);
            } else if (!OTHERS.contains(name)) {
                unknown.add("meter " + name);
            }
        }
        Matcher grouping = GROUPING.matcher(text);
        while (grouping.find()) {
            for (String label : grouping.group(1).split("[,\\s]+")) {
                if (!label.isEmpty() && !labels.contains(label)) {
                    unknown.add("label " + label);
                }
            }
        }
        return unknown;
    }

    private static void compare(String name, MeterDefinition meter, String matchers, List<String> unknown) {
        Matcher matcher = MATCHER.matcher(matchers == null ? "" : matchers);
        while (matcher.find()) {
            String label = matcher.group(1);
            if (OF_TARGETS.contains(label)) {
                continue;
            }
            Label found = meter.labels().stream()
                    .filter(one -> one.name().equals(label))
                    .findFirst()
                    .orElse(null);
            if (found == null) {
                unknown.add("label " + label + " of " + name);
            } else if (!found.values().isEmpty()) {
                for (String value : matcher.group(3).split("\\|")) {
                    if (!found.values().contains(value)) {
                        unknown.add("value " + value + " of label " + label + " of " + name);
                    }
                }
            }
        }
    }

    private String withoutFunctions() {
        return FUNCTION.matcher(GROUPING.matcher(text).replaceAll(" "))
                .replaceAll(" ")
                .replace("group_left", " ");
    }
}
