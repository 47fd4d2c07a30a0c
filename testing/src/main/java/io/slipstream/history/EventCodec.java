// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

import io.slipstream.history.ClientEvent.SendCompleted;
import io.slipstream.history.ClientEvent.SendInvoked;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Encodes events as bytes and decodes them. An event is the number of its kind and its components. Numbers are
 * differences to the same component of the last event of that kind, because most grow by one. A text is the number
 * assigned at its first occurrence. Arrays and columns have a length. One codec serves one file in one direction. Not
 * safe for concurrent use.
 */
final class EventCodec {
    /** Replaces the number of a kind at the end of the file. */
    static final int END = -1;

    private static final Map<Class<?>, Integer> NUMBERS = numbers();

    private static final int SEND_INVOKED = NUMBERS.get(SendInvoked.class);
    private static final int SEND_COMPLETED = NUMBERS.get(SendCompleted.class);
    private static final Outcome[] OUTCOMES = Outcome.values();

    private final long[][] last = new long[EventShape.ALL.size()][];
    private final Object[][] components = new Object[EventShape.ALL.size()][];
    private final Map<String, Integer> numberOfText = new HashMap<>();
    private final List<String> texts = new ArrayList<>();

    EventCodec() {
        for (int i = 0; i < last.length; i++) {
            last[i] = new long[EventShape.ALL.get(i).size()];
            components[i] = new Object[last[i].length];
        }
    }

    private static Map<Class<?>, Integer> numbers() {
        Map<Class<?>, Integer> numbers = new HashMap<>();
        for (EventShape shape : EventShape.ALL) {
            numbers.put(shape.type(), numbers.size());
        }
        return Map.copyOf(numbers);
    }

    void write(Event event, VarintOutput out) throws IOException {
        int number = NUMBERS.get(event.getClass());
        EventShape shape = EventShape.ALL.get(number);
        long[] before = last[number];
        out.writeLong(number);
        for (int i = 0; i < before.length; i++) {
            switch (shape.kind(i)) {
                case NUMBER -> {
                    long value = shape.number(event, i);
                    out.writeLong(value - before[i]);
                    before[i] = value;
                }
                case TEXT -> writeText((String) shape.object(event, i), out);
                case INTS -> writeInts((int[]) shape.object(event, i), out);
                case LONGS -> writeLongs((long[]) shape.object(event, i), out);
                case RUN -> writeRun((RecordRun) shape.object(event, i), out);
                default -> throw new IllegalStateException("no such kind");
            }
        }
    }

    /** Returns the next event, or null at the end. */
    Event read(VarintInput in) throws IOException {
        long number = in.readLong();
        if (number == END) {
            return null;
        }
        if (number < 0 || number >= last.length) {
            throw new IOException("there is no kind of event with number " + number);
        }
        long[] before = last[(int) number];
        if (number == SEND_INVOKED) {
            return readSendInvoked(before, in);
        } else if (number == SEND_COMPLETED) {
            return readSendCompleted(before, in);
        }
        EventShape shape = EventShape.ALL.get((int) number);
        Object[] values = components[(int) number];
        for (int i = 0; i < before.length; i++) {
            values[i] = switch (shape.kind(i)) {
                case NUMBER -> {
                    before[i] += in.readLong();
                    yield shape.boxed(i, before[i]);
                }
                case TEXT -> readText(in);
                case INTS -> readInts(in);
                case LONGS -> readLongs(in);
                case RUN -> readRun(in);
            };
        }
        return shape.create(values);
    }

    /** The two most frequent kinds, decoded without intermediate objects. */
    private static Event readSendInvoked(long[] before, VarintInput in) throws IOException {
        for (int i = 0; i < before.length; i++) {
            before[i] += in.readLong();
        }
        return new SendInvoked(
                before[0],
                (int) before[1],
                (int) before[2],
                (int) before[3],
                (int) before[4],
                (int) before[5],
                before[6]);
    }

    private Event readSendCompleted(long[] before, VarintInput in) throws IOException {
        for (int i = 0; i < before.length - 1; i++) {
            before[i] += in.readLong();
        }
        Outcome outcome = OUTCOMES[(int) before[3]];
        return new SendCompleted(before[0], (int) before[1], (int) before[2], outcome, before[4], readText(in));
    }

    private void writeText(String text, VarintOutput out) throws IOException {
        Integer known = numberOfText.putIfAbsent(text, numberOfText.size());
        out.writeLong(known != null ? known : numberOfText.size() - 1);
        if (known == null) {
            out.writeText(text);
        }
    }

    private String readText(VarintInput in) throws IOException {
        long number = in.readLong();
        if (number == texts.size()) {
            texts.add(in.readText());
        }
        if (number < 0 || number >= texts.size()) {
            throw new IOException("there is no text with number " + number);
        }
        return texts.get((int) number);
    }

    private static void writeInts(int[] values, VarintOutput out) throws IOException {
        out.writeLong(values.length);
        for (int value : values) {
            out.writeLong(value);
        }
    }

    private static int[] readInts(VarintInput in) throws IOException {
        int[] values = new int[length(in)];
        for (int i = 0; i < values.length; i++) {
            values[i] = (int) in.readLong();
        }
        return values;
    }

    private static void writeLongs(long[] values, VarintOutput out) throws IOException {
        out.writeLong(values.length);
        for (long value : values) {
            out.writeLong(value);
        }
    }

    private static long[] readLongs(VarintInput in) throws IOException {
        long[] values = new long[length(in)];
        for (int i = 0; i < values.length; i++) {
            values[i] = in.readLong();
        }
        return values;
    }

    private static void writeRun(RecordRun run, VarintOutput out) throws IOException {
        out.writeLong(run.size());
        long offset = 0;
        long value = 0;
        int described = 0;
        int epoch = 0;
        for (int i = 0; i < run.size(); i++) {
            out.writeLong(run.offset(i) - offset);
            out.writeLong(run.value(i) - value);
            out.writeLong(run.described(i) - described);
            out.writeLong(run.leaderEpoch(i) - epoch);
            out.writeFixedInt(run.digest(i));
            offset = run.offset(i);
            value = run.value(i);
            described = run.described(i);
            epoch = run.leaderEpoch(i);
        }
    }

    private static RecordRun readRun(VarintInput in) throws IOException {
        int size = length(in);
        RecordRun.Builder run = new RecordRun.Builder(size);
        long offset = 0;
        long value = 0;
        int described = 0;
        int epoch = 0;
        for (int i = 0; i < size; i++) {
            offset += in.readLong();
            value += in.readLong();
            described += (int) in.readLong();
            epoch += (int) in.readLong();
            run.add(offset, value, described, in.readFixedInt(), epoch);
        }
        return run.build();
    }

    private static int length(VarintInput in) throws IOException {
        long length = in.readLong();
        if (length < 0 || length > 1 << 24) {
            throw new IOException("an array of " + length + " elements");
        }
        return (int) length;
    }
}
