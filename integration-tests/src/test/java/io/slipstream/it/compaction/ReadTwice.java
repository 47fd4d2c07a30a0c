// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.compaction;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * One Fetch directly, through the proxy, and directly again. If the first and the last answer are equal, the middle one
 * must be equal too.
 */
final class ReadTwice implements Closeable {
    private static final int ATTEMPTS = 3;

    private final RawClient straight;
    private final RawClient proxied;
    private final TopicRef topic;
    private long compared;

    ReadTwice(String brokerBootstrap, String proxyBootstrap, TopicRef topic) throws IOException {
        straight = RawClient.connect(brokerBootstrap);
        proxied = RawClient.connect(proxyBootstrap);
        this.topic = topic;
    }

    /**
     * A list of aborted transactions that contains all those among the records may briefly differ. The broker's own
     * does so during a swap of segments, when a cleaned segment exists and the next old one is not deleted yet.
     *
     * @return null if the answers are equal or the log changed meanwhile; else both
     */
    String difference(long offset, boolean committed, int maxBytes) throws IOException {
        String difference = null;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Answer before = read(straight, offset, committed, maxBytes);
            Answer seen = read(proxied, offset, committed, maxBytes);
            if (seen.equals(before)) {
                compared++;
                return null;
            } else if (!read(straight, offset, committed, maxBytes).equals(before)) {
                return null;
            }
            difference = "at " + offset + ", committed " + committed + ", " + maxBytes + " bytes: " + before
                    + " is read as " + seen;
            if (!seen.differsInUnneededAbortedOnly(before)) {
                return difference;
            }
        }
        return difference;
    }

    /** Returns the number of equal reads. */
    long compared() {
        return compared;
    }

    /** Everything except a partial batch at the end. */
    private record Answer(String fields, String batches, long nextOffset, List<AbortedTransaction> aborted) {
        boolean differsInUnneededAbortedOnly(Answer other) {
            return fields.equals(other.fields) && batches.equals(other.batches) && needed().equals(other.needed());
        }

        private List<AbortedTransaction> needed() {
            return aborted.stream()
                    .filter(each -> each.firstOffset() < nextOffset)
                    .toList();
        }
    }

    private Answer read(RawClient client, long offset, boolean committed, int maxBytes) throws IOException {
        FetchRequests request = FetchRequests.version(FetchRequests.NEWEST);
        client.send((committed ? request.readCommitted() : request)
                .add(topic, 0, offset, maxBytes)
                .frame());
        PartitionData partition = client.receive()
                .as(FetchResponseData.class)
                .responses()
                .get(0)
                .partitions()
                .get(0);
        StringBuilder text = new StringBuilder();
        ByteBuffer bytes = ((MemoryRecords) partition.records()).buffer();
        int at = bytes.position();
        long nextOffset = offset;
        for (RecordBatch batch : ((MemoryRecords) partition.records()).batches()) {
            CRC32C crc = new CRC32C();
            crc.update(bytes.slice(at, batch.sizeInBytes()));
            at += batch.sizeInBytes();
            nextOffset = batch.nextOffset();
            text.append(batch.baseOffset())
                    .append('-')
                    .append(batch.lastOffset())
                    .append(':');
            text.append(Long.toHexString(crc.getValue())).append(' ');
        }
        List<AbortedTransaction> aborted = partition.abortedTransactions();
        partition.setRecords(MemoryRecords.EMPTY).setAbortedTransactions(aborted == null ? null : List.of());
        return new Answer(partition.toString(), text.toString(), nextOffset, aborted == null ? List.of() : aborted);
    }

    @Override
    public void close() throws IOException {
        straight.close();
        proxied.close();
    }
}
