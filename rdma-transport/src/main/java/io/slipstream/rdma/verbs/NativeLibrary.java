package io.slipstream.rdma.verbs;

import java.util.Optional;

/** Finds, unpacks and loads {@code libdisni.so} once, on first use; absent or unloadable, it says why and everything else works. */
public final class NativeLibrary {
    private NativeLibrary() {}

    /** Empty if the natives can be called, else why not and what to do, in words for an operator. */
    public static Optional<String> unavailableReason() {
        return Optional.of("this build has no native library");
    }

    /** Throws IllegalStateException with {@link #unavailableReason}. */
    public static NativeVerbs natives() {
        throw new IllegalStateException(unavailableReason().orElseThrow());
    }
}
