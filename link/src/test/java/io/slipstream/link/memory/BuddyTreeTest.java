// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BuddyTreeTest {
    private static final int LEAF = BuddyTree.LEAF_BYTES;

    @Test
    void shouldGiveBlocksOfAtLeastTheSizeThatDoNotOverlapAndJoinThemAgain() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        int leaves = 64;
        BuddyTree tree = new BuddyTree(leaves * LEAF);
        List<Integer> taken = new ArrayList<>();
        BitSet usedLeaves = new BitSet();
        for (int round = 0; round < 20_000; round++) {
            if (!taken.isEmpty() && random.nextInt(100) < 48) {
                int node = taken.remove(random.nextInt(taken.size()));
                int first = tree.offsetOf(node) / LEAF;
                usedLeaves.clear(first, first + tree.sizeBytesOf(node) / LEAF);
                tree.giveBack(node);
            } else {
                int size = 1 + random.nextInt(1 << (6 + random.nextInt(13)));
                int node = tree.take(size);
                if (node == BuddyTree.NONE) {
                    int blockLeaves = Math.max(1, Integer.highestOneBit((size - 1) / LEAF) * 2);
                    for (int first = 0; first < leaves; first += blockLeaves) {
                        int used = usedLeaves.nextSetBit(first);
                        assertThat(used >= 0 && used < first + blockLeaves)
                                .as("seed %d: free block of %d leaves at %d refused", seed, blockLeaves, first)
                                .isTrue();
                    }
                    continue;
                }
                int first = tree.offsetOf(node) / LEAF;
                int end = first + tree.sizeBytesOf(node) / LEAF;
                assertThat(tree.sizeBytesOf(node)).as("seed %d", seed).isGreaterThanOrEqualTo(size);
                int used = usedLeaves.nextSetBit(first);
                assertThat(used < 0 || used >= end).as("seed %d: overlap", seed).isTrue();
                assertThat(end).isLessThanOrEqualTo(leaves);
                usedLeaves.set(first, end);
                taken.add(node);
            }
            assertThat(tree.usedBytes).isEqualTo(usedLeaves.cardinality() * LEAF);
        }
        taken.forEach(tree::giveBack);
        assertThat(tree.usedBytes).isZero();
        assertThat(tree.sizeBytesOf(tree.take(leaves * LEAF))).isEqualTo(leaves * LEAF);
    }

    @Test
    void shouldRefuseWhatIsTooLargeAndWhatComesBackTwice() {
        BuddyTree tree = new BuddyTree(4 * LEAF);
        assertThat(tree.take(4 * LEAF + 1)).isEqualTo(BuddyTree.NONE);
        assertThat(tree.take(Integer.MAX_VALUE)).isEqualTo(BuddyTree.NONE);
        int node = tree.take(2 * LEAF);
        tree.giveBack(node);
        assertThatThrownBy(() -> tree.giveBack(node)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> new BuddyTree(3 * LEAF)).isInstanceOf(IllegalArgumentException.class);
    }
}
