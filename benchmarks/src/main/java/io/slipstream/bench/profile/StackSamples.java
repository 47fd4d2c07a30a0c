// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.profile;

import java.util.ArrayList;
import java.util.List;

/**
 * Samples of a thread with one stack, from a line of collapsed stacks: {@code [name tid=1];outermost;…;innermost
 * COUNT}. Frames are {@code some/package/Type.method} of Java, {@code name_[k]} of the kernel, and bare names of native
 * code.
 *
 * @param thread its name; empty if the line has none
 * @param frames outermost first, at least one
 */
public record StackSamples(String thread, List<String> frames, long count) {
    /** @throws IllegalArgumentException if the line does not have this form */
    static StackSamples parse(String line) {
        int blank = line.lastIndexOf(' ');
        if (blank < 1) {
            throw new IllegalArgumentException("no collapsed stack: " + line);
        }
        long count;
        try {
            count = Long.parseLong(line.substring(blank + 1));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("no count of samples: " + line, e);
        }
        String stack = line.substring(0, blank);
        String thread = "";
        if (stack.startsWith("[")) {
            // Thread names may contain blanks and brackets.
            int end = stack.indexOf("];");
            String head = stack.substring(1, end < 0 ? stack.length() - 1 : end);
            int tid = head.lastIndexOf(" tid=");
            thread = tid < 0 ? head : head.substring(0, tid);
            stack = end < 0 ? "[no frames]" : stack.substring(end + 2);
        }
        return new StackSamples(thread, List.of(stack.split(";")), count);
    }

    /** Parses a whole file; skips empty lines. */
    static List<StackSamples> parse(List<String> lines) {
        List<StackSamples> samples = new ArrayList<>();
        for (String line : lines) {
            if (!line.isBlank()) {
                samples.add(parse(line));
            }
        }
        return samples;
    }
}
