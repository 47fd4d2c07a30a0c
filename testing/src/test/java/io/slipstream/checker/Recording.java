// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.Event;
import io.slipstream.history.RecordRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** A modifiable history. Of several matching events, a random one is used. */
final class Recording {
    final List<Event> events;
    final Random random;

    Recording(List<Event> events, Random random) {
        this.events = events;
        this.random = random;
    }

    /** Returns the position of a matching event. */
    <E extends Event> int find(Class<E> kind, Predicate<E> fits) {
        List<Integer> positions = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            if (kind.isInstance(events.get(i)) && fits.test(kind.cast(events.get(i)))) {
                positions.add(i);
            }
        }
        if (positions.isEmpty()) {
            throw new AssertionError("the history has no such " + kind.getSimpleName());
        }
        return positions.get(random.nextInt(positions.size()));
    }

    <E extends Event> E get(Class<E> kind, Predicate<E> fits) {
        return kind.cast(events.get(find(kind, fits)));
    }

    /** Changes a matching event. */
    <E extends Event> void change(Class<E> kind, Predicate<E> fits, UnaryOperator<E> change) {
        int position = find(kind, fits);
        events.set(position, change.apply(kind.cast(events.get(position))));
    }

    /** Changes all matching events. */
    <E extends Event> void changeAll(Class<E> kind, Predicate<E> fits, UnaryOperator<E> change) {
        find(kind, fits);
        events.replaceAll(event ->
                kind.isInstance(event) && fits.test(kind.cast(event)) ? change.apply(kind.cast(event)) : event);
    }

    <E extends Event> void remove(Class<E> kind, Predicate<E> fits) {
        events.remove(find(kind, fits));
    }

    <E extends Event> void removeAll(Class<E> kind, Predicate<E> fits) {
        find(kind, fits);
        events.removeIf(event -> kind.isInstance(event) && fits.test(kind.cast(event)));
    }

    /** Changes one record of a run; the visitor may also remove it or add others. */
    interface Rewrite {
        void copy(RecordRun from, int i, RecordRun.Builder to);
    }

    static RecordRun rewrite(RecordRun run, Rewrite rewrite) {
        RecordRun.Builder copy = new RecordRun.Builder(run.size());
        for (int i = 0; i < run.size(); i++) {
            rewrite.copy(run, i, copy);
        }
        return copy.build();
    }

    static void keep(RecordRun run, int i, RecordRun.Builder to) {
        to.add(run.offset(i), run.value(i), run.described(i), run.digest(i), run.leaderEpoch(i));
    }

    static RecordRun without(RecordRun run, Predicate<Long> value) {
        return rewrite(run, (from, i, to) -> {
            if (!value.test(from.value(i))) {
                keep(from, i, to);
            }
        });
    }
}
