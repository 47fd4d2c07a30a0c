// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** What is known of one-sided access: grants and the fences that end them, and metadata slots. */
public sealed interface RdmaEvent extends Event {
    /**
     * Access to a range of memory was given.
     *
     * @param grant from 0, without gap
     * @param region memory in which {@code fromByte} (inclusive) and {@code toByte} (exclusive) count; two grants of the same bytes name the same region
     */
    record Granted(long atNs, int grant, long region, long fromByte, long toByte, boolean writable)
            implements RdmaEvent {}

    /** Bytes that became visible in the granted memory. */
    record BytesLanded(long atNs, int grant, long fromByte, long toByte) implements RdmaEvent {}

    /**
     * From now on nothing may land.
     *
     * @param hash over all bytes of the grant's range, taken after the fence was acknowledged
     */
    record Fenced(long atNs, int grant, long hash) implements RdmaEvent {}

    /** The fenced range once more, at any later time before its memory is used for something else. */
    record RangeHashed(long atNs, int grant, long hash) implements RdmaEvent {}

    /**
     * A broker wrote a slot. Recorded before the slot's sequence is published.
     *
     * @param boot names one life of the broker; later lives have greater numbers
     * @param generation of the slot's use within that life
     * @param sequence of the publication within that generation
     * @param hash over the content
     */
    record SlotPublished(long atNs, long boot, int slot, long generation, long sequence, long hash)
            implements RdmaEvent {}

    /** A reader took this for the slot's content. Components as above. */
    record SlotAccepted(long atNs, String reader, long boot, int slot, long generation, long sequence, long hash)
            implements RdmaEvent {}

    /**
     * Ring credits of a link as either end counts them.
     *
     * @param outstanding given out and not back yet
     */
    record CreditsCounted(long atNs, String link, long initial, long available, long outstanding)
            implements RdmaEvent {}
}
