package io.slipstream.rdma.completion;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Tells other threads when the owner thread of a completion queue can no longer be using something they unlinked.
 *
 * <p>The owner makes the counter odd around each operation; one full fence after that orders "I am inside" before every
 * look-up. Whoever wants to free something unlinks it, takes a {@link #mark} and frees it once {@link Mark#isPast}.
 */
public final class OwnerActivity {
    private static final VarHandle EPOCH;

    static {
        try {
            EPOCH = MethodHandles.lookup().findVarHandle(OwnerActivity.class, "epoch", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through EPOCH
    private long epoch;

    /** Owner thread. No fence: the caller issues one before its first look-up. */
    public void enterUnfenced() {
        // Odd again even if a fault, which the JVM may report anywhere, has torn the last operation's end away.
        EPOCH.setOpaque(this, ((long) EPOCH.get(this) + 1) | 1);
    }

    public void enter() {
        enterUnfenced();
        VarHandle.fullFence();
    }

    public void leave() {
        EPOCH.setRelease(this, ((long) EPOCH.get(this) | 1) + 1);
    }

    /** Any thread, after unlinking. */
    public Mark mark() {
        VarHandle.fullFence();
        return new Mark(this, (long) EPOCH.getAcquire(this));
    }

    private boolean quietSince(long snapshot) {
        return (snapshot & 1) == 0 || (long) EPOCH.getAcquire(this) != snapshot;
    }

    /** A moment in the owner's life that has to pass. */
    public record Mark(OwnerActivity activity, long snapshot) {
        public boolean isPast() {
            return activity.quietSince(snapshot);
        }
    }
}
