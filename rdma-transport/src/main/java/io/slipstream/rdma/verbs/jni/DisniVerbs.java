// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs.jni;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import io.slipstream.rdma.verbs.MemoryLockLimit;
import io.slipstream.rdma.verbs.NativeVerbs;
import io.slipstream.rdma.verbs.RegistrationException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;

/** Implements the verbs through DiSNI's dispatcher where it has the call, else by natives of its own. Stateless. */
public final class DisniVerbs implements NativeVerbs {
    private static final int DISNI_VERSION = 32;
    private static final short RDMA_PS_TCP = 0x0106;
    /** Encoding of file names. */
    private static final Charset PATHS = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private final NativeDispatcher dispatcher;

    /** Loads the library. Throws UnsatisfiedLinkError if it cannot be loaded or has another version. */
    public DisniVerbs() throws ClassNotFoundException {
        // The class initialiser calls System.loadLibrary, which must precede the first call of our own natives.
        Class.forName(NativeDispatcher.class.getName(), true, DisniVerbs.class.getClassLoader());
        dispatcher = (NativeDispatcher) allocateDispatcher(NativeDispatcher.class);
        if (dispatcher._getVersion() != DISNI_VERSION) {
            throw new UnsatisfiedLinkError(
                    "version " + dispatcher._getVersion() + " of the natives, but DiSNI 2.1 has " + DISNI_VERSION);
        }
    }

    // ---- memory

    @Override
    public native long allocate(long lengthBytes) throws IOException;

    @Override
    public long mapFile(String path, long position, long lengthBytes, boolean writable) throws IOException {
        if (path.indexOf(0) >= 0) {
            throw new IllegalArgumentException("path contains a zero byte");
        }
        try {
            return map(path.getBytes(PATHS), position, lengthBytes, writable);
        } catch (IOException e) {
            throw new IOException(e.getMessage() + ": " + path + ", " + lengthBytes + " bytes at " + position, e);
        }
    }

    @Override
    public native void unmap(long address, long lengthBytes);

    @Override
    public native ByteBuffer bufferAt(long address, int lengthBytes);

    // ---- connection manager

    @Override
    public long createEventChannel() throws IOException {
        return dispatcher._createEventChannel();
    }

    @Override
    public void destroyEventChannel(long channel) {
        dispatcher._destroyEventChannel(channel);
    }

    @Override
    public long createId(long channel) throws IOException {
        return dispatcher._createId(channel, RDMA_PS_TCP);
    }

    @Override
    public void destroyId(long id) throws IOException {
        check("rdma_destroy_id", dispatcher._destroyCmId(id));
    }

    @Override
    public native void bindAddress(long id, byte[] ipAddress, int scopeId, int port) throws IOException;

    @Override
    public void listen(long id, int backlog) throws IOException {
        dispatcher._listen(id, backlog);
    }

    @Override
    public native int localPort(long id);

    @Override
    public native void resolveAddress(
            long id, byte[] sourceAddress, byte[] ipAddress, int scopeId, int port, int timeoutMs) throws IOException;

    @Override
    public void resolveRoute(long id, int timeoutMs) throws IOException {
        dispatcher._resolveRoute(id, timeoutMs);
    }

    @Override
    public native void setAckTimeout(long id, int exponent) throws IOException;

    @Override
    public native void connect(long id, ByteBuffer privateData, int privateDataBytes, int retryCount, int rnrRetryCount)
            throws IOException;

    @Override
    public native void accept(long id, ByteBuffer privateData, int privateDataBytes, int rnrRetryCount)
            throws IOException;

    @Override
    public native void reject(long id, ByteBuffer privateData, int privateDataBytes) throws IOException;

    @Override
    public void disconnect(long id) throws IOException {
        check("rdma_disconnect", dispatcher._disconnect(id));
    }

    @Override
    public long contextOf(long id) throws IOException {
        return dispatcher._getContext(id);
    }

    @Override
    public native String deviceName(long context);

    @Override
    public native int nextEvent(long channel, long context, int wakeFd, int timeoutMs, ByteBuffer event)
            throws IOException;

    // ---- device

    @Override
    public native void queryDevice(long context, int[] values) throws IOException;

    @Override
    public long allocateProtectionDomain(long context) throws IOException {
        return dispatcher._allocPd(context);
    }

    @Override
    public void deallocateProtectionDomain(long domain) throws IOException {
        check("ibv_dealloc_pd", dispatcher._deallocPd(domain));
    }

    @Override
    public long registerMemory(long domain, long address, long lengthBytes, int access, int[] keys) throws IOException {
        long region = tryRegister(domain, address, lengthBytes, access, keys);
        if (region < 0) {
            int errno = (int) -region;
            String message = "ibv_reg_mr: " + errorText(errno);
            throw new RegistrationException(
                    errno,
                    errno == RegistrationException.ENOMEM
                            ? message + ": " + MemoryLockLimit.explain(lengthBytes)
                            : message);
        }
        return region;
    }

    @Override
    public void deregisterMemory(long region) throws IOException {
        dispatcher._deregMr(region);
    }

    // ---- completions

    @Override
    public long createCompletionChannel(long context) throws IOException {
        return dispatcher._createCompChannel(context);
    }

    @Override
    public void destroyCompletionChannel(long channel) throws IOException {
        check("ibv_destroy_comp_channel", dispatcher._destroyCompChannel(channel));
    }

    @Override
    public native int completionChannelFd(long channel);

    @Override
    public long createCompletionQueue(long context, long channel, int capacity) throws IOException {
        return dispatcher._createCQ(context, channel, capacity, 0);
    }

    @Override
    public void destroyCompletionQueue(long completionQueue) throws IOException {
        check("ibv_destroy_cq", dispatcher._destroyCQ(completionQueue));
    }

    @Override
    public void requestNotify(long completionQueue) throws IOException {
        check("ibv_req_notify_cq", dispatcher._reqNotifyCQ(completionQueue, 0));
    }

    @Override
    public native int takeCompletionEvents(long channel) throws IOException;

    @Override
    public int poll(long completionQueue, int max, long completionsAddress) throws IOException {
        return dispatcher._pollCQ(completionQueue, max, completionsAddress);
    }

    // ---- queue pairs

    @Override
    public native long createQueuePair(
            long id, long domain, long completionQueue, int sendDepth, int receiveDepth, int maxSegments)
            throws IOException;

    @Override
    public int queuePairNumber(long queuePair) throws IOException {
        return dispatcher._getQpNum(queuePair);
    }

    @Override
    public native void setMinRnrTimer(long queuePair, int code) throws IOException;

    @Override
    public void moveToError(long queuePair) throws IOException {
        dispatcher._modifyQP(queuePair, 0);
    }

    @Override
    public void destroyQueuePair(long id) {
        dispatcher._destroyQP(id);
    }

    @Override
    public native int postSend(long queuePair, long requestAddress);

    @Override
    public native int postReceive(long queuePair, long requestAddress);

    /**
     * Allocates an instance without its constructor, which is not accessible and logs ten lines about sizes that {@code
     * layout.c} asserts.
     */
    private static native Object allocateDispatcher(Class<NativeDispatcher> type);

    private static native long map(byte[] path, long position, long lengthBytes, boolean writable) throws IOException;

    /** Returns the ibv_mr, or the negative errno. */
    private static native long tryRegister(long domain, long address, long lengthBytes, int access, int[] keys);

    /** {@code EINVAL (Invalid argument)}. */
    private static native String errorText(int errno);

    private static void check(String function, int errno) throws IOException {
        if (errno != 0) {
            throw new IOException(function + ": " + errorText(errno));
        }
    }
}
