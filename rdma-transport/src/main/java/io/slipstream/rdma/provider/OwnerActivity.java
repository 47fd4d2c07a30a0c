// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.provider;

import java.lang.invoke.VarHandle;
import org.agrona.UnsafeApi;

/**
 * Tells other threads when the owner thread of a completion queue can no longer use an object that they have unlinked.
 *
 * <p>The owner makes the counter odd during each operation. A full fence orders this write before every lookup. To free
 * an object, unlink it, take a {@link #mark}, and free it once {@link Mark#isPast} returns true.
 */
public final class OwnerActivity {
    // No VarHandle: before the second compiler tier, each access through one is dozens of calls, and this is on every
    // operation.
    private static final long EPOCH = UnsafeApi.objectFieldOffset(OwnerActivity.class, "epoch");

    /** Only the owner thread writes it. */
    private long epoch;

    /** Owner thread, before its first lookup. */
    public void enter() {
        // Becomes odd even if an asynchronous JVM error skipped the previous leave().
        UnsafeApi.putLongOpaque(this, EPOCH, (epoch + 1) | 1);
        VarHandle.fullFence();
    }

    public void leave() {
        UnsafeApi.putLongRelease(this, EPOCH, (epoch | 1) + 1);
    }

    /** Any thread, after unlinking. */
    public Mark mark() {
        VarHandle.fullFence();
        return new Mark(this, UnsafeApi.getLongAcquire(this, EPOCH));
    }

    /** The owner's operation at the time of {@link #mark}, which has to end. */
    public record Mark(OwnerActivity activity, long snapshot) {
        public boolean isPast() {
            return (snapshot & 1) == 0 || UnsafeApi.getLongAcquire(activity, EPOCH) != snapshot;
        }
    }
}
