// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import java.util.Locale;

/** Formats numbers for people. */
final class Figures {
    private static final String[] BYTE_UNITS = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};

    private Figures() {}

    static String rate(double perSecond) {
        return perSecond > 0 && perSecond < 9.95
                ? String.format(Locale.ROOT, "%.1f", perSecond)
                : String.format(Locale.ROOT, "%,d", Math.round(perSecond));
    }

    static String bytes(double perSecond) {
        double value = perSecond;
        int unit = 0;
        while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
            value /= 1000;
            unit++;
        }
        String format = unit == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s";
        return String.format(Locale.ROOT, format, value, BYTE_UNITS[unit]);
    }

    /** Returns an empty text for -1, which means no requests or records. */
    static String share(double share) {
        if (share < 0) {
            return "";
        }
        // Shows 100 only for exactly all.
        double percent = share < 1 ? Math.min(share * 100, 99.9) : 100;
        return String.format(Locale.ROOT, share < 1 && share > 0 ? "%.1f %%" : "%.0f %%", percent);
    }

    static String latency(double us) {
        if (us < 0) {
            return "";
        } else if (us < 1000) {
            return String.format(Locale.ROOT, us < 9.95 ? "%.1f µs" : "%.0f µs", us);
        } else if (us < 999_500) {
            return String.format(Locale.ROOT, us < 99_950 ? "%.1f ms" : "%.0f ms", us / 1000);
        }
        return String.format(Locale.ROOT, "%.1f s", us / 1_000_000);
    }

    static String uptime(long ms) {
        long seconds = ms / 1000;
        String clock =
                String.format(Locale.ROOT, "%02d:%02d:%02d", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        return seconds < 86_400 ? clock : seconds / 86_400 + "d " + clock;
    }
}
