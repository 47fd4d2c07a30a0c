// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs.jni;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Natives for calls that DiSNI's dispatcher lacks. They are in the same library, which the dispatcher loads. {@link
 * DisniVerbs} documents their meaning.
 */
final class VerbsExtension {
    private VerbsExtension() {}

    /**
     * Allocates an instance without its constructor, which is not accessible and logs ten lines about sizes that {@code
     * layout.c} asserts.
     */
    static native Object allocateDispatcher(Class<NativeDispatcher> type);

    /** {@code EINVAL (Invalid argument)}. */
    static native String errorText(int errno);

    static native long allocate(long lengthBytes) throws IOException;

    static native long mapFile(byte[] path, long position, long lengthBytes, boolean writable) throws IOException;

    static native void unmap(long address, long lengthBytes);

    static native ByteBuffer bufferAt(long address, int lengthBytes);

    /** Returns 0 if the buffer is not direct. */
    static native long addressOf(ByteBuffer buffer);

    static native void bindAddress(long id, byte[] ipAddress, int scopeId, int port) throws IOException;

    static native int localPort(long id);

    static native int portNumber(long id);

    static native void resolveAddress(long id, byte[] source, byte[] ipAddress, int scopeId, int port, int timeoutMs)
            throws IOException;

    static native void setAckTimeout(long id, int exponent) throws IOException;

    static native void connect(long id, ByteBuffer privateData, int bytes, int retryCount, int rnrRetryCount)
            throws IOException;

    static native void accept(long id, ByteBuffer privateData, int bytes, int rnrRetryCount) throws IOException;

    static native void reject(long id, ByteBuffer privateData, int bytes) throws IOException;

    static native int nextEvent(long channel, long context, int wakeFd, int timeoutMs, ByteBuffer event)
            throws IOException;

    static native String deviceName(long context);

    static native void queryDevice(long context, long[] values) throws IOException;

    /** Returns the ibv_mr or the negative errno. */
    static native long registerMemory(long domain, long address, long lengthBytes, int access, int[] keys);

    static native int completionChannelFd(long channel);

    static native int takeCompletionEvents(long channel) throws IOException;

    static native long createQueuePair(
            long id, long domain, long completionQueue, int sendDepth, int receiveDepth, int segments, int inlineBytes)
            throws IOException;

    static native void setMinRnrTimer(long queuePair, int code) throws IOException;

    /** Returns 0 or the errno. */
    static native int postSend(long queuePair, long request);

    /** Returns 0 or the errno. */
    static native int postReceive(long queuePair, long request);
}
