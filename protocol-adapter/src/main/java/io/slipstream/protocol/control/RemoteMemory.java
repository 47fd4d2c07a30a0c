package io.slipstream.protocol.control;

/** A peer's memory region as work requests name it. */
public record RemoteMemory(long address, long lengthBytes, int rkey) {
    public static final RemoteMemory NONE = new RemoteMemory(0, 0, 0);
}
