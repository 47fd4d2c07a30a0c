// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines as DumpLogSegments of Kafka 4.3.1 prints them. */
class DumpLinesTest {
    @Test
    void shouldFindNothingWrongWithASoundSegmentBehindTheFirst() {
        List<String> lines = DumpLines.of(
                "Dumping 00000000000000000700.log\nLog starting offset: 700\n"
                        + "baseOffset: 700 lastOffset: 701 count: 2 magic: 2 crc: 12 isvalid: true\n",
                "Non-consecutive offsets in /data/t-0/00000000000000000700.log\n  -1 is followed by 700\n",
                "");

        assertThat(lines).noneMatch(DumpLines::isDamage);
        assertThat(lines.stream().filter(DumpLines::isBatch)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "baseOffset: 5 lastOffset: 5 count: 1 crc: 99 isvalid: false",
                "Found 512 invalid bytes at the end of 00000000000000000000.log"
            })
    void shouldFindDamageInWhatIsSaid(String line) {
        assertThat(DumpLines.of(line + "\n", "", "")).anyMatch(DumpLines::isDamage);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "  3 is followed by 7",
                "Mismatches in :/data/t-0/00000000000000000000.index",
                "Found timestamp mismatch in :/data/t-0/00000000000000000000.timeindex",
                "Producer snapshot is corrupt"
            })
    void shouldFindDamageInWhatIsComplainedOf(String line) {
        assertThat(DumpLines.of("", line + "\n", "")).anyMatch(DumpLines::isDamage);
    }

    @Test
    void shouldFindDamageInWhatIsThrown() {
        assertThat(DumpLines.of("Dumping x\n", "", DumpLines.THROWN + "CorruptIndexException"))
                .anyMatch(DumpLines::isDamage);
    }
}
