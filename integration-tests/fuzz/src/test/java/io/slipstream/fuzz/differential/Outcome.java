// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.differential;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * The outcome of a frame.
 *
 * @param answers the answers before the end, with placeholders for differences between paths
 */
record Outcome(End end, List<byte[]> answers) {
    private static final int SHOWN_BYTES = 8192;

    enum End {
        /** The broker continued with the next request. */
        ANSWERED,
        CLOSED,
        /** No answer in time: the request waits, as a Fetch may. */
        SILENT
    }

    /** Returns whether both have the same end after equally many answers. */
    boolean isAlike(Outcome other) {
        return end == other.end && answers.size() == other.answers.size();
    }

    /** As above, with equal bytes. */
    boolean isSame(Outcome other) {
        if (!isAlike(other)) {
            return false;
        }
        for (int i = 0; i < answers.size(); i++) {
            if (!Arrays.equals(answers.get(i), other.answers.get(i))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(end.toString());
        for (byte[] answer : answers) {
            String hex = HexFormat.of().formatHex(answer, 0, Math.min(answer.length, SHOWN_BYTES));
            text.append("\n      ").append(answer.length).append(" bytes ").append(hex);
        }
        return text.toString();
    }
}
