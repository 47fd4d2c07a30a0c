// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.schedule;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * The faults and processes of a run: a pure function of seed and length. A longer schedule of the same seed starts with
 * the shorter one.
 *
 * @param overlapping whether some episodes have several concurrent faults, as in a third of the seeds
 */
public record Schedule(long seed, Topology topology, boolean overlapping, List<Episode> episodes) {
    /** Time per episode besides its holds: process starts and client recovery. */
    private static final long EPISODE_COST_MS = 1_500;

    public Schedule {
        episodes = List.copyOf(episodes);
    }

    /** @param lengthMs total time of the faults; there is at least one fault */
    public static Schedule of(long seed, long lengthMs) {
        return of(seed, lengthMs, EnumSet.allOf(FaultClass.class));
    }

    /** @param classes the classes to draw from; if none suits one broker, there are three */
    public static Schedule of(long seed, long lengthMs, Set<FaultClass> classes) {
        SplittableRandom random = new SplittableRandom(seed);
        Topology drawn = new Topology(random.nextInt(5) < 3 ? 1 : 3, random.nextInt(2) + 1);
        boolean fits = classes.stream().anyMatch(faultClass -> faultClass.fits(drawn));
        Topology topology = fits ? drawn : new Topology(3, drawn.proxies());
        boolean overlapping = random.nextInt(3) == 0;
        FaultDrawing drawing = new FaultDrawing(random, topology, classes);
        List<Episode> episodes = new ArrayList<>();
        long takenMs = 0;
        do {
            Episode next = episode(random, drawing, overlapping);
            takenMs += next.lengthMs() + EPISODE_COST_MS;
            episodes.add(next);
        } while (takenMs < lengthMs);
        return new Schedule(seed, topology, overlapping, episodes);
    }

    private static Episode episode(SplittableRandom random, FaultDrawing drawing, boolean overlapping) {
        long pauseMs = random.nextLong(200, 800);
        List<Episode.Timed> faults = new ArrayList<>();
        faults.add(new Episode.Timed(0, drawing.next()));
        int more = overlapping ? random.nextInt(3) : 0;
        for (int i = 0; i < more; i++) {
            // Strikes while the first fault lasts or while clients recover from it.
            long delayMs = random.nextLong(faults.get(0).fault().holdMs() + 300);
            faults.add(new Episode.Timed(delayMs, drawing.next()));
        }
        return new Episode(pauseMs, faults);
    }

    public int faultCount() {
        return episodes.stream().mapToInt(episode -> episode.faults().size()).sum();
    }

    public boolean has(FaultClass faultClass) {
        return episodes.stream()
                .flatMap(episode -> episode.faults().stream())
                .anyMatch(timed -> timed.fault().faultClass() == faultClass);
    }
}
