// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** A target, named by its class. A run starts each target in its own JVM. */
record Target(String className) {
    static final List<Target> ALL = List.of(
            new Target("io.slipstream.fuzz.session.FrameDecoderFuzzTest"),
            new Target("io.slipstream.fuzz.session.RequestHeadersFuzzTest"),
            new Target("io.slipstream.fuzz.wire.FrameGuardFuzzTest"),
            new Target("io.slipstream.fuzz.produce.ProduceRequestFuzzTest"),
            new Target("io.slipstream.fuzz.fetch.FetchRequestFuzzTest"),
            new Target("io.slipstream.fuzz.address.ResponseRewritingFuzzTest"),
            new Target("io.slipstream.fuzz.ring.RingFuzzTest"),
            new Target("io.slipstream.fuzz.control.ControlCodecFuzzTest"),
            new Target("io.slipstream.fuzz.slot.SlotFuzzTest"),
            new Target("io.slipstream.fuzz.fetch.BatchWalkFuzzTest"),
            new Target("io.slipstream.fuzz.config.ProxyConfigFuzzTest"),
            new Target("io.slipstream.fuzz.config.PluginConfigFuzzTest"));

    /** Returns this many of all targets, each with equal probability. */
    static List<Target> draw(long seed, int count) {
        List<Target> shuffled = new ArrayList<>(ALL);
        Collections.shuffle(shuffled, new Random(seed));
        return shuffled.subList(0, count);
    }

    String name() {
        return className.substring(className.lastIndexOf('.') + 1).replace("FuzzTest", "");
    }

    /** Returns the directory of the corpus below {@code src/test/resources}. */
    String corpusPath() {
        return className.replace('.', '/') + "Inputs";
    }
}
