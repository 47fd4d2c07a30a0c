// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.completion;

import java.lang.invoke.VarHandle;
import org.agrona.UnsafeApi;

/**
 * Tells other threads when the owner thread of a completion queue can no longer be using something they unlinked.
 *
 * <p>The owner makes the counter odd around each operation; one full fence after that orders "I am inside" before every
 * look-up. Whoever wants to free something unlinks it, takes a {@link #mark} and frees it once {@link Mark#isPast}.
 */
public final class OwnerActivity {
    // Not a VarHandle: without the second compiler tier each access by one is dozens of calls, and this is around every
    // operation.
    private static final long EPOCH = UnsafeApi.objectFieldOffset(OwnerActivity.class, "epoch");

    /** Written by the owner thread only. */
    private long epoch;

    /** Owner thread. No fence: the caller issues one before its first look-up. */
    public void enterUnfenced() {
        // Odd again even if a fault, which the JVM may report anywhere, has torn the last operation's end away.
        UnsafeApi.putLongOpaque(this, EPOCH, (epoch + 1) | 1);
    }

    public void enter() {
        enterUnfenced();
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

    private boolean quietSince(long snapshot) {
        return (snapshot & 1) == 0 || UnsafeApi.getLongAcquire(this, EPOCH) != snapshot;
    }

    /** A moment in the owner's life that has to pass. */
    public record Mark(OwnerActivity activity, long snapshot) {
        public boolean isPast() {
            return activity.quietSince(snapshot);
        }
    }
}
