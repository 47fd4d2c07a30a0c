// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.Uuid;

/** Builds the answers to Locate. */
final class LocateAnswers {
    private LocateAnswers() {}

    static ControlResponse.Locate refusal(ControlError error, String message) {
        return new ControlResponse.Locate(error, message, Uuid.ZERO_UUID, "", -1, 0, -1, 0, RemoteMemory.NONE, -1);
    }

    /** Grants the partition, without a region: the segment has no byte at the position yet. */
    static CompletionStage<ControlResponse.Locate> nothingYet(GrantedSlot slot, Located located) {
        return CompletableFuture.completedFuture(granted(slot, located, RemoteMemory.NONE));
    }

    /** Completes with the answer that names the export, once the peer can read it. */
    static CompletionStage<ControlResponse.Locate> when(SegmentExport export, Located located) {
        return export.exported.handle((done, failure) -> {
            if (failure != null) {
                return refusal(
                        ControlError.UNKNOWN_HANDLE, "the segment could not be exported: " + failure.getMessage());
            }
            return granted(export.slot, located, export.remoteMemory());
        });
    }

    private static ControlResponse.Locate granted(GrantedSlot slot, Located located, RemoteMemory window) {
        return new ControlResponse.Locate(
                ControlError.NONE,
                null,
                located.log().topicId(),
                located.log().topic(),
                slot.index,
                slot.generation,
                located.segment().baseOffset(),
                located.position(),
                window,
                located.sealedBytes());
    }
}
