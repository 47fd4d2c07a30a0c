// SPDX-License-Identifier: Apache-2.0
package io.slipstream.reference;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.link.meter.Meter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Writes the tables of docs/metrics.md between their marks, from the meter enums, which are authoritative. */
public final class MeterPage {
    private MeterPage() {}

    /** @param arguments the page to rewrite */
    public static void main(String[] arguments) throws IOException {
        Path page = Path.of(arguments[0]);
        Files.writeString(page, withTables(Files.readString(page)));
    }

    /** Returns the page with current tables. */
    static String withTables(String page) {
        String withProxy = replace(page, "proxy", MeterReference.markdown(Meter.values()));
        return replace(withProxy, "plugin", MeterReference.markdown(PluginMeter.values()));
    }

    private static String replace(String page, String name, String table) {
        String begin = "<!-- meters of the " + name + " -->\n";
        String end = "<!-- end of the meters of the " + name + " -->";
        Matcher between = Pattern.compile(Pattern.quote(begin) + ".*?" + Pattern.quote(end), Pattern.DOTALL)
                .matcher(page);
        if (!between.find()) {
            throw new IllegalArgumentException("the page has no place for the meters of the " + name);
        }
        return between.replaceFirst(Matcher.quoteReplacement(begin + table + end));
    }
}
