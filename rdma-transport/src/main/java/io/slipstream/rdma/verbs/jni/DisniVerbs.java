// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs.jni;

import com.ibm.disni.verbs.impl.NativeDispatcher;
import io.slipstream.rdma.verbs.MemoryLockLimit;
import io.slipstream.rdma.verbs.NativeVerbs;
import io.slipstream.rdma.verbs.RegistrationException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;

/** Implements the verbs through DiSNI's dispatcher where it has the call, else through our extension. Stateless. */
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
        dispatcher = (NativeDispatcher) VerbsExtension.allocateDispatcher(NativeDispatcher.class);
        if (dispatcher._getVersion() != DISNI_VERSION) {
            throw new UnsatisfiedLinkError(
                    "version " + dispatcher._getVersion() + " of the natives, but DiSNI 2.1 has " + DISNI_VERSION);
        }
    }

    // ---- memory

    @Override
    public long allocate(long lengthBytes) throws IOException {
        return VerbsExtension.allocate(lengthBytes);
    }

    @Override
    public long mapFile(String path, long position, long lengthBytes, boolean writable) throws IOException {
        if (path.indexOf(0) >= 0) {
            throw new IllegalArgumentException("path contains a zero byte");
        }
        try {
            return VerbsExtension.mapFile(path.getBytes(PATHS), position, lengthBytes, writable);
        } catch (IOException e) {
            throw new IOException(e.getMessage() + ": " + path + ", " + lengthBytes + " bytes at " + position, e);
        }
    }

    @Override
    public void unmap(long address, long lengthBytes) {
        VerbsExtension.unmap(address, lengthBytes);
    }

    @Override
    public ByteBuffer bufferAt(long address, int lengthBytes) {
        if (lengthBytes < 0) {
            throw new IllegalArgumentException("negative buffer length: " + lengthBytes);
        }
        return VerbsExtension.bufferAt(address, lengthBytes);
    }

    @Override
    public long addressOf(ByteBuffer directBuffer) {
        if (!directBuffer.isDirect()) {
            throw new IllegalArgumentException("a heap buffer has no address");
        }
        return VerbsExtension.addressOf(directBuffer);
    }

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
    public void bindAddress(long id, byte[] ipAddress, int scopeId, int port) throws IOException {
        VerbsExtension.bindAddress(id, ipAddress, scopeId, port);
    }

    @Override
    public void listen(long id, int backlog) throws IOException {
        dispatcher._listen(id, backlog);
    }

    @Override
    public int localPort(long id) {
        return VerbsExtension.localPort(id);
    }

    @Override
    public void resolveAddress(long id, byte[] sourceAddress, byte[] ipAddress, int scopeId, int port, int timeoutMs)
            throws IOException {
        VerbsExtension.resolveAddress(id, sourceAddress, ipAddress, scopeId, port, timeoutMs);
    }

    @Override
    public void resolveRoute(long id, int timeoutMs) throws IOException {
        dispatcher._resolveRoute(id, timeoutMs);
    }

    @Override
    public void setAckTimeout(long id, int exponent) throws IOException {
        VerbsExtension.setAckTimeout(id, exponent);
    }

    @Override
    public void connect(long id, ByteBuffer privateData, int privateDataBytes, int retryCount, int rnrRetryCount)
            throws IOException {
        VerbsExtension.connect(id, privateData, privateDataBytes, retryCount, rnrRetryCount);
    }

    @Override
    public void accept(long id, ByteBuffer privateData, int privateDataBytes, int rnrRetryCount) throws IOException {
        VerbsExtension.accept(id, privateData, privateDataBytes, rnrRetryCount);
    }

    @Override
    public void reject(long id, ByteBuffer privateData, int privateDataBytes) throws IOException {
        VerbsExtension.reject(id, privateData, privateDataBytes);
    }

    @Override
    public void disconnect(long id) throws IOException {
        check("rdma_disconnect", dispatcher._disconnect(id));
    }

    @Override
    public long contextOf(long id) {
        try {
            return dispatcher._getContext(id);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String deviceName(long context) {
        return VerbsExtension.deviceName(context);
    }

    @Override
    public int portNumber(long id) {
        return VerbsExtension.portNumber(id);
    }

    @Override
    public int nextEvent(long channel, long context, int wakeFd, int timeoutMs, ByteBuffer event) throws IOException {
        return VerbsExtension.nextEvent(channel, context, wakeFd, timeoutMs, event);
    }

    // ---- device

    @Override
    public void queryDevice(long context, long[] values) throws IOException {
        VerbsExtension.queryDevice(context, values);
    }

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
        long region = VerbsExtension.registerMemory(domain, address, lengthBytes, access, keys);
        if (region < 0) {
            int errno = (int) -region;
            String message = "ibv_reg_mr: " + VerbsExtension.errorText(errno);
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
    public int completionChannelFd(long channel) {
        return VerbsExtension.completionChannelFd(channel);
    }

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
    public int takeCompletionEvents(long channel) throws IOException {
        return VerbsExtension.takeCompletionEvents(channel);
    }

    @Override
    public int poll(long completionQueue, int max, long completionsAddress) throws IOException {
        return dispatcher._pollCQ(completionQueue, max, completionsAddress);
    }

    // ---- queue pairs

    @Override
    public long createQueuePair(
            long id,
            long domain,
            long completionQueue,
            int sendDepth,
            int receiveDepth,
            int maxSegments,
            int maxInlineBytes)
            throws IOException {
        return VerbsExtension.createQueuePair(
                id, domain, completionQueue, sendDepth, receiveDepth, maxSegments, maxInlineBytes);
    }

    @Override
    public int queuePairNumber(long queuePair) {
        try {
            return dispatcher._getQpNum(queuePair);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void setMinRnrTimer(long queuePair, int code) throws IOException {
        VerbsExtension.setMinRnrTimer(queuePair, code);
    }

    @Override
    public void moveToError(long queuePair) throws IOException {
        dispatcher._modifyQP(queuePair, 0);
    }

    @Override
    public void destroyQueuePair(long id) {
        dispatcher._destroyQP(id);
    }

    @Override
    public int postSend(long queuePair, long requestAddress) {
        return VerbsExtension.postSend(queuePair, requestAddress);
    }

    @Override
    public int postReceive(long queuePair, long requestAddress) {
        return VerbsExtension.postReceive(queuePair, requestAddress);
    }

    private static void check(String function, int errno) throws IOException {
        if (errno != 0) {
            throw new IOException(function + ": " + VerbsExtension.errorText(errno));
        }
    }
}
