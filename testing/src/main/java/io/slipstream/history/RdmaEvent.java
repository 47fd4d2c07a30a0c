// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** Facts about one-sided access: grants, their fences, and metadata slots. */
public sealed interface RdmaEvent extends Event {
    /**
     * Access to a memory range was granted.
     *
     * @param grant from 0 without gaps
     * @param region memory that {@code fromByte} (inclusive) and {@code toByte} (exclusive) refer to; two grants of the
     * same bytes name the same region
     */
    record Granted(long atNs, int grant, long region, long fromByte, long toByte, boolean writable)
            implements RdmaEvent {}

    /** Bytes that became visible in granted memory. */
    record BytesLanded(long atNs, int grant, long fromByte, long toByte) implements RdmaEvent {}

    /**
     * From now on no write may become visible.
     *
     * @param hash hash of the grant's whole range after the acknowledgement of the fence
     */
    record Fenced(long atNs, int grant, long hash) implements RdmaEvent {}

    /** The hash of the fenced range at a later time, before its memory is reused. */
    record RangeHashed(long atNs, int grant, long hash) implements RdmaEvent {}

    /**
     * A broker wrote a slot. Recorded before the slot's sequence is published.
     *
     * @param boot identifies one life of the broker; later lives have greater numbers
     * @param generation generation of the slot's use within that life
     * @param sequence sequence of the publication within that generation
     * @param hash hash of the content
     */
    record SlotPublished(long atNs, long boot, int slot, long generation, long sequence, long hash)
            implements RdmaEvent {}

    /** A reader accepted this as the slot's content. Components as above. */
    record SlotAccepted(long atNs, String reader, long boot, int slot, long generation, long sequence, long hash)
            implements RdmaEvent {}

    /**
     * Ring credits of a link as one end counts them.
     *
     * @param outstanding credits given out and not returned
     */
    record CreditsCounted(long atNs, String link, long initial, long available, long outstanding)
            implements RdmaEvent {}
}
