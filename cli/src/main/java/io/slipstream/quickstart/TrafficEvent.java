// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import java.nio.charset.StandardCharsets;

/**
 * The observations of one lane sensor in one interval.
 *
 * @param number sequence number over all sensors, from 0
 * @param averageSpeedKmh 0 if no car passed
 */
record TrafficEvent(long number, String road, int lane, int cars, int averageSpeedKmh, long timestampMs) {
    private static final String NUMBER_FIELD = "{\"event\":";

    byte[] toJson() {
        return (NUMBER_FIELD + number + ",\"road\":\"" + road + "\",\"lane\":" + lane + ",\"cars\":" + cars
                        + ",\"averageSpeedKmh\":" + averageSpeedKmh + ",\"timestampMs\":" + timestampMs + "}")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the number in an event's JSON, or -1 if the bytes are not an event. */
    static long numberIn(byte[] json) {
        if (json == null || json.length <= NUMBER_FIELD.length()) {
            return -1;
        }
        for (int i = 0; i < NUMBER_FIELD.length(); i++) {
            if (json[i] != NUMBER_FIELD.charAt(i)) {
                return -1;
            }
        }
        long number = 0;
        int at = NUMBER_FIELD.length();
        while (at < json.length && json[at] >= '0' && json[at] <= '9' && number < Long.MAX_VALUE / 10) {
            number = number * 10 + json[at++] - '0';
        }
        return at < json.length && json[at] == ',' ? number : -1;
    }
}
