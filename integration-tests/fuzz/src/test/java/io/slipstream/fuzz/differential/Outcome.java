// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.differential;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * What became of a frame.
 *
 * @param answers what came before the end, with placeholders for what differs from one way to the other
 */
record Outcome(End end, List<byte[]> answers) {
    private static final int SHOWN_BYTES = 8192;

    enum End {
        /** The broker went on to the next request. */
        ANSWERED,
        CLOSED,
        /** Nothing in time: it waits, as a Fetch may. */
        SILENT
    }

    /** The same end, after as many answers. */
    boolean isAlike(Outcome other) {
        return end == other.end && answers.size() == other.answers.size();
    }

    /** The same bytes, too. */
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
