// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.memory;

/**
 * A buddy allocator: splits a range into blocks of power-of-two sizes and merges free neighbours. A complete binary
 * tree in an array: node 1 is the whole range, 2n and 2n+1 are the halves of n. Each node stores the size of the
 * largest free block below it. Allocation and release walk one path and allocate no objects. Allocation takes the
 * lowest address that fits best, so that a steady load reuses the same few blocks.
 */
final class BuddyTree {
    static final int LEAF_SHIFT = 12;
    static final int LEAF_BYTES = 1 << LEAF_SHIFT;
    /** No block of that size is free. */
    static final int NONE = 0;

    /** Height of the root above the leaves. */
    private final int height;
    /** By node: 1 + height of the largest free block in it, 0 if there is none. */
    private final byte[] largest;

    int usedBytes;

    /** @param sizeBytes a power of two, at least one leaf */
    BuddyTree(int sizeBytes) {
        if (Integer.bitCount(sizeBytes) != 1 || sizeBytes < LEAF_BYTES) {
            throw new IllegalArgumentException("not a power of two of at least " + LEAF_BYTES + ": " + sizeBytes);
        }
        height = Integer.numberOfTrailingZeros(sizeBytes) - LEAF_SHIFT;
        largest = new byte[2 << height];
        for (int node = 1; node < largest.length; node++) {
            largest[node] = (byte) (1 + heightOf(node));
        }
    }

    /** Exclusive upper bound of node numbers, which start at 1. */
    int nodeCount() {
        return largest.length;
    }

    private int heightOf(int node) {
        return height - (31 - Integer.numberOfLeadingZeros(node));
    }

    int sizeBytesOf(int node) {
        return LEAF_BYTES << heightOf(node);
    }

    int offsetOf(int node) {
        int nodeHeight = heightOf(node);
        return (node - (1 << (height - nodeHeight))) << (nodeHeight + LEAF_SHIFT);
    }

    /**
     * Allocates a block of at least that size.
     *
     * @return its node, or {@link #NONE}
     */
    int take(int sizeBytes) {
        int leaves = Math.max(1, (int) ((sizeBytes + (long) LEAF_BYTES - 1) >>> LEAF_SHIFT));
        int wanted = 33 - Integer.numberOfLeadingZeros(leaves - 1);
        if (largest[1] < wanted) {
            return NONE;
        }
        int node = 1;
        while (heightOf(node) + 1 > wanted) {
            int left = largest[2 * node];
            int right = largest[2 * node + 1];
            boolean goRight = left < wanted || (right >= wanted && right < left);
            node = 2 * node + (goRight ? 1 : 0);
        }
        largest[node] = 0;
        usedBytes += sizeBytesOf(node);
        update(node);
        return node;
    }

    void giveBack(int node) {
        if (largest[node] != 0) {
            throw new IllegalStateException("block " + node + " given back twice");
        }
        largest[node] = (byte) (1 + heightOf(node));
        usedBytes -= sizeBytesOf(node);
        update(node);
    }

    /** Propagates a change of that node to the root. */
    private void update(int changed) {
        for (int node = changed >> 1; node >= 1; node >>= 1) {
            int childFree = heightOf(node);
            int left = largest[2 * node];
            int right = largest[2 * node + 1];
            largest[node] = (byte) (left == childFree && right == childFree ? childFree + 1 : Math.max(left, right));
        }
    }
}
