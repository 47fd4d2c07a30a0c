// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.history.Event;
import io.slipstream.history.MemoryHistory;
import io.slipstream.it.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Plants bugs in clean histories. The violated invariant must detect each. Prints a table of detections. */
class HistoryBugsTest {
    private static final int PLACES = 3;
    private static final Map<String, String> CAUGHT = new TreeMap<>();

    static Stream<HistoryBug> bugs() {
        return Stream.of(LogBugs.ALL, ReadBugs.ALL, GroupBugs.ALL, ResourceBugs.ALL)
                .flatMap(List::stream);
    }

    @Test
    void shouldFindNothingWhereNothingWasPlanted() {
        Report report = Checker.check(MemoryHistory.of(CleanHistory.record(Seed.ofRun())));

        assertThat(report.counts()).as(report.text()).isEmpty();
        assertThat(Invariant.values()).as(report.text()).allMatch(invariant -> report.facts(invariant) > 0);
    }

    @ParameterizedTest
    @MethodSource("bugs")
    void shouldCatch(HistoryBug bug) {
        TreeSet<String> caught = new TreeSet<>();
        for (int place = 0; place < PLACES; place++) {
            List<Event> events = new ArrayList<>(CleanHistory.record(Seed.ofRun() + place));
            bug.planting().plant(new Recording(events, new Random(Seed.ofRun() + place)));

            Report report = Checker.check(MemoryHistory.of(events));

            assertThat(report.counts()).as("place %d: %s", place, report.text()).containsKey(bug.kind());
            caught.addAll(report.counts().keySet());
        }
        CAUGHT.put(bug.name(), String.format("%-28s %-62s %s", bug.name(), bug.breaks(), String.join(", ", caught)));
    }

    @AfterAll
    static void printTable() {
        System.out.printf("%n%d bugs planted in histories, caught by:%n", CAUGHT.size());
        CAUGHT.values().forEach(System.out::println);
    }
}
