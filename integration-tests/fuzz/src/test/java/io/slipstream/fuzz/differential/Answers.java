// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.differential;

import io.slipstream.fuzz.KafkaReaders;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * Compares answers from a client's view. Two legal differences are ignored. A broker orders partitions by hashes of
 * their topics, which differ between paths. It also truncates the last batch of a Fetch at the limits, where the proxy
 * omits it (clients ignore a partial batch).
 */
final class Answers {
    private static final int OVERHEAD_BYTES = 12;

    private Answers() {}

    /** Returns whether two outcomes of the frame (with its size) are equal. */
    static boolean areSame(byte[] frame, Outcome one, Outcome other) {
        if (one.isSame(other)) {
            return true;
        } else if (!one.isAlike(other)) {
            return false;
        }
        for (int i = 0; i < one.answers().size(); i++) {
            if (!areSame(frame, one.answers().get(i), other.answers().get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean areSame(byte[] frame, byte[] one, byte[] other) {
        ApiMessageType type = typeOf(frame);
        if (type == ApiMessageType.PRODUCE || type == ApiMessageType.FETCH) {
            short version = ByteBuffer.wrap(frame).getShort(6);
            ApiMessage read = read(one, type, version);
            return read != null && read.equals(read(other, type, version));
        }
        return Arrays.equals(sorted(one), sorted(other));
    }

    /** Returns Produce or Fetch for a known version, else null. */
    private static ApiMessageType typeOf(byte[] frame) {
        ByteBuffer bytes = ByteBuffer.wrap(frame);
        for (ApiMessageType type : new ApiMessageType[] {ApiMessageType.PRODUCE, ApiMessageType.FETCH}) {
            if (frame.length >= 12
                    && bytes.getShort(4) == type.apiKey()
                    && bytes.getShort(6) >= type.lowestSupportedVersion()
                    && bytes.getShort(6) <= type.highestSupportedVersion(true)) {
                return type;
            }
        }
        return null;
    }

    private static byte[] sorted(byte[] answer) {
        byte[] sorted = answer.clone();
        Arrays.sort(sorted);
        return sorted;
    }

    private static ApiMessage read(byte[] answer, ApiMessageType type, short version) {
        KafkaReaders.Read read = KafkaReaders.response(ByteBuffer.wrap(answer), type, version);
        if (read == null || read.leftBytes() > 0) {
            return null;
        }
        if (read.body() instanceof ProduceResponseData produced) {
            produced.responses()
                    .forEach(topic ->
                            topic.partitionResponses().sort(Comparator.comparingInt(PartitionProduceResponse::index)));
        } else if (read.body() instanceof FetchResponseData fetched) {
            fetched.responses()
                    .forEach(topic -> topic.partitions().forEach(partition -> {
                        if (partition.records() instanceof MemoryRecords records) {
                            partition.setRecords(wholeBatches(records.buffer()));
                        }
                    }));
        }
        return read.body();
    }

    private static MemoryRecords wholeBatches(ByteBuffer records) {
        int end = 0;
        while (records.limit() - end >= OVERHEAD_BYTES) {
            long size = OVERHEAD_BYTES + (long) records.getInt(end + 8);
            if (size < OVERHEAD_BYTES || size > records.limit() - end) {
                break;
            }
            end += (int) size;
        }
        return MemoryRecords.readableRecords(records.slice(0, end));
    }
}
