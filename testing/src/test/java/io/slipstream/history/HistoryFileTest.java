// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.history.BrokerEvent.GroupOffsetFound;
import io.slipstream.history.ClientEvent.SendCompleted;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryFileTest {
    @TempDir
    private Path directory;

    @Test
    void shouldGiveBackEveryKindOfEventAsItWasRecorded() {
        List<Event> events = new ArrayList<>();
        Random random = new Random(7);
        for (int round = 0; round < 50; round++) {
            EventShape.ALL.forEach(shape -> events.add(randomEvent(shape, random)));
        }
        Path file = write(events);

        List<Event> read = MemoryHistory.copyOf(HistoryFile.open(file)).events();

        // Arrays compare by identity, so the test compares texts, and columns by their own equality.
        assertThat(read).hasSameSizeAs(events);
        for (int i = 0; i < events.size(); i++) {
            assertThat(components(read.get(i))).isEqualTo(components(events.get(i)));
        }
    }

    @Test
    void shouldGiveTheSameEachTimeItIsRead() {
        HistoryFile history =
                HistoryFile.open(write(List.of(offset(1), offset(Long.MAX_VALUE), offset(Long.MIN_VALUE), offset(-1))));

        assertThat(MemoryHistory.copyOf(history).events())
                .isEqualTo(MemoryHistory.copyOf(history).events())
                .containsExactly(offset(1), offset(Long.MAX_VALUE), offset(Long.MIN_VALUE), offset(-1));
    }

    @Test
    void shouldSayThatARecordingWasCutShort() throws IOException {
        Path file = write(List.of(offset(1), offset(2)));
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));

        assertThatThrownBy(() -> HistoryFile.open(file).forEach(event -> {}))
                .hasMessageContaining("event 2")
                .hasMessageContaining(file.toString())
                .hasRootCauseMessage("the history ends in the middle: its recorder was not closed");
    }

    @Test
    void shouldRefuseAFileThatIsNoHistory() throws IOException {
        Path file = Files.writeString(directory.resolve("text"), "not a history at all");

        assertThatThrownBy(() -> HistoryFile.open(file)).hasMessageContaining(file.toString());
    }

    @Test
    void shouldRefuseEventsAfterItsEnd() {
        Recorder recorder = HistoryFile.create(directory.resolve("closed"));
        recorder.close();

        assertThatThrownBy(() -> recorder.record(offset(1))).hasMessageContaining("closed");
    }

    @Test
    void shouldKeepEventsSmall() throws IOException {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            events.add(new SendCompleted(1_000_000_000L + i * 700L, 3, i, Outcome.OK, 50_000 + i, ""));
        }

        assertThat(Files.size(write(events))).isLessThan(10_000 * 10);
    }

    private static GroupOffsetFound offset(long offset) {
        return new GroupOffsetFound("g", 0, offset);
    }

    private Path write(List<Event> events) {
        Path file = directory.resolve("history");
        try (Recorder recorder = HistoryFile.create(file)) {
            events.forEach(recorder::record);
        }
        return file;
    }

    private static Event randomEvent(EventShape shape, Random random) {
        RecordComponent[] components = shape.type().getRecordComponents();
        Object[] values = new Object[components.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = randomValue(components[i].getType(), random);
        }
        return shape.create(values);
    }

    private static Object randomValue(Class<?> type, Random random) {
        if (type == long.class) {
            return random.nextBoolean() ? random.nextLong() : (long) random.nextInt(100);
        } else if (type == int.class) {
            return random.nextInt();
        } else if (type == boolean.class) {
            return random.nextBoolean();
        } else if (type == String.class) {
            return "text " + random.nextInt(5) + " ä";
        } else if (type == int[].class) {
            return random.ints(random.nextInt(4)).toArray();
        } else if (type == long[].class) {
            return random.longs(random.nextInt(4)).toArray();
        } else if (type == RecordRun.class) {
            RecordRun.Builder run = new RecordRun.Builder(0);
            for (int i = random.nextInt(20); i > 0; i--) {
                run.add(
                        random.nextLong(),
                        random.nextLong(),
                        random.nextInt(5) - 2,
                        random.nextInt(),
                        random.nextInt());
            }
            return run.build();
        }
        return type.getEnumConstants()[random.nextInt(type.getEnumConstants().length)];
    }

    private static List<Object> components(Event event) {
        List<Object> values = new ArrayList<>();
        values.add(event.getClass());
        try {
            for (RecordComponent component : event.getClass().getRecordComponents()) {
                Object value = component.getAccessor().invoke(event);
                values.add(
                        value instanceof int[] ints
                                ? Arrays.toString(ints)
                                : value instanceof long[] longs ? Arrays.toString(longs) : value);
            }
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
        return values;
    }
}
