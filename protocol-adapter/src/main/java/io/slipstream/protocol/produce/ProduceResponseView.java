// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.produce;

import io.slipstream.protocol.wire.WireCursor;
import java.nio.ByteBuffer;

/**
 * View of a broker's Produce response, version 3 to 13. Provides error codes and the position of node endpoints.
 * Allocates nothing and throws nothing. Not thread-safe.
 */
public final class ProduceResponseView {
    private final WireCursor cursor = new WireCursor();
    private int partitions;
    private int partitionErrors;
    private short firstError;
    private int throttleTimeMs;
    private int nodeEndpointsPosition;

    /**
     * Reads the frame (from its header on, without the size) between the buffer's position and limit.
     *
     * @return false if the version is unknown or the frame is malformed; the values are then invalid
     */
    public boolean wrap(ByteBuffer response, short version) {
        partitions = 0;
        partitionErrors = 0;
        firstError = 0;
        throttleTimeMs = 0;
        nodeEndpointsPosition = -1;
        if (version < ProduceRequestView.OLDEST_VERSION || version > ProduceRequestView.LATEST_VERSION) {
            return false;
        }
        WireCursor in = cursor.wrap(response, response.position(), response.limit(), version >= 9);
        in.skip(Integer.BYTES); // correlation id
        in.skipTags();
        int topics = in.nonNullArrayCount(1);
        for (int i = 0; i < topics && !in.failed(); i++) {
            topic(in, version);
        }
        throttleTimeMs = in.int32();
        for (int i = in.tagCount(); i > 0 && !in.failed(); i--) {
            int tag = in.tag();
            int size = in.unsignedVarint();
            if (tag == 0 && version >= 10) {
                nodeEndpointsPosition = in.position();
            }
            in.skip(size);
        }
        return !in.failed();
    }

    private void topic(WireCursor in, short version) {
        if (version >= 13) {
            in.skip(16);
        } else {
            in.skipString(false);
        }
        int count = in.nonNullArrayCount(22);
        partitions += count;
        for (int j = 0; j < count && !in.failed(); j++) {
            in.skip(Integer.BYTES);
            short error = in.int16();
            if (error != 0) {
                partitionErrors++;
                firstError = firstError == 0 ? error : firstError;
            }
            in.skip(version >= 5 ? 24 : 16); // base offset, log append time, log start offset
            if (version >= 8) {
                int records = in.nonNullArrayCount(5);
                for (int k = 0; k < records && !in.failed(); k++) {
                    in.skip(Integer.BYTES);
                    in.skipString(true);
                    in.skipTags();
                }
                in.skipString(true);
            }
            in.skipTags();
        }
        in.skipTags();
    }

    public int partitionCount() {
        return partitions;
    }

    /** Number of partitions with an error code. */
    public int partitionErrors() {
        return partitionErrors;
    }

    /** The first error code of a partition that is not 0; 0 if there is none. */
    public short firstError() {
        return firstError;
    }

    public int throttleTimeMs() {
        return throttleTimeMs;
    }

    /** Index of the node endpoints' array (in the tag's value); -1 if there is none. */
    public int nodeEndpointsPosition() {
        return nodeEndpointsPosition;
    }
}
