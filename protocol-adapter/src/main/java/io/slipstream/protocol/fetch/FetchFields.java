// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import java.nio.ByteBuffer;

/** Writes the fields that Fetch requests and responses have in common, as a version encodes them. */
abstract class FetchFields {
    static final short FIRST_TOPIC_ID = 13;
    static final short FIRST_FLEXIBLE = 12;

    ByteBuffer out;
    short version;
    boolean flexible;

    void version(short version) {
        this.version = version;
        flexible = version >= FIRST_FLEXIBLE;
    }

    /** Starts the topic of an entry, by id or by name as the version requires. */
    public void topic(FetchPartitions partitions, int entry, int partitionCount) {
        int topic = partitions.topicOf(entry);
        if (version >= FIRST_TOPIC_ID) {
            out.putLong(partitions.topicIdHigh(topic)).putLong(partitions.topicIdLow(topic));
        } else {
            string(partitions.names, partitions.topicNamePosition(topic), partitions.topicNameLength(topic));
        }
        count(partitionCount);
    }

    void string(ByteBuffer source, int position, int length) {
        if (flexible) {
            writeUnsigned(length + 1);
        } else {
            out.putShort((short) length);
        }
        copy(source, position, position + length);
    }

    void copy(ByteBuffer source, int from, int to) {
        out.put(out.position(), source, from, to - from).position(out.position() + to - from);
    }

    /** Writes the number of an array's elements or of bytes; -1 for null. */
    void count(int count) {
        if (flexible) {
            writeUnsigned(count + 1);
        } else {
            out.putInt(count);
        }
    }

    /** Writes an unsigned varint: 7 bits per byte, low bits first, as in Kafka's compact encodings. */
    private void writeUnsigned(int value) {
        int left = value;
        while ((left & ~0x7f) != 0) {
            out.put((byte) (left | 0x80));
            left >>>= 7;
        }
        out.put((byte) left);
    }

    /** Writes an empty section of tagged fields. */
    void tags() {
        if (flexible) {
            out.put((byte) 0);
        }
    }
}
