// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.schedule;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * All that a run does to its processes, and to how many: a pure function of the seed and the length. A longer schedule of the same seed
 * begins with the shorter one.
 *
 * @param overlapping whether some episodes have several faults at once; so in a third of the seeds
 */
public record Schedule(long seed, Topology topology, boolean overlapping, List<Episode> episodes) {
    /** What an episode costs beyond its holds: processes start, clients settle. */
    private static final long EPISODE_COST_MS = 1_500;

    public Schedule {
        episodes = List.copyOf(episodes);
    }

    /** @param lengthMs how long the faults may take in all; there is at least one */
    public static Schedule of(long seed, long lengthMs) {
        return of(seed, lengthMs, EnumSet.allOf(FaultClass.class));
    }

    /** @param classes none but these are drawn; with none that suits one broker there are three */
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
            // Strikes while the first still lasts, or while clients recover from it.
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
