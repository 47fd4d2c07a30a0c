// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The provider's calls into libibverbs and librdmacm, one to one with the functions of their man pages. There is no
 * state and no check beyond errno. Handles are raw pointers; using one after its destroy call is undefined. Failures
 * are IOExceptions that name the function and the error ({@code ibv_reg_mr: ENOMEM (Cannot allocate memory)}). No call
 * blocks unless its description says so.
 *
 * <p>The implementation uses DiSNI's dispatcher and, for calls that this lacks, natives of its own, both in {@code
 * libdisni.so}. {@link NativeLibrary} supplies it. This is an interface because the implementation lives in a class
 * loader of its own, which tells the JVM where the library was unpacked.
 */
public interface NativeVerbs {
    // ---- memory

    /**
     * Allocates zeroed, page-aligned, populated, private anonymous memory that is not inherited by forked children
     * (mmap(2), MADV_DONTFORK of madvise(2)).
     */
    long allocate(long lengthBytes) throws IOException;

    /**
     * Maps {@code [position, position + lengthBytes)} of a file, shared; position is page-aligned. The mapping stays
     * when the file is closed.
     */
    long mapFile(String path, long position, long lengthBytes, boolean writable) throws IOException;

    /** Unmaps memory that {@link #allocate} or {@link #mapFile} returned. */
    void unmap(long address, long lengthBytes);

    /** A direct buffer over memory, which it does not own. The caller sets the byte order. */
    ByteBuffer bufferAt(long address, int lengthBytes);

    // ---- connection manager

    long createEventChannel() throws IOException;

    void destroyEventChannel(long channel);

    /** rdma_create_id(3): an rdma_cm_id of RDMA_PS_TCP on that channel. */
    long createId(long channel) throws IOException;

    /**
     * rdma_destroy_id(3). All events of the id must have been taken from the channel, and its queue pair must be
     * destroyed. Blocks until the events that were taken are acknowledged.
     */
    void destroyId(long id) throws IOException;

    /**
     * @param ipAddress 4 or 16 bytes in network order
     * @param scopeId interface index of an IPv6 link-local address, else 0
     * @param port 0: any
     */
    void bindAddress(long id, byte[] ipAddress, int scopeId, int port) throws IOException;

    void listen(long id, int backlog) throws IOException;

    int localPort(long id);

    /** @param sourceAddress null: chosen by the routing table */
    void resolveAddress(long id, byte[] sourceAddress, byte[] ipAddress, int scopeId, int port, int timeoutMs)
            throws IOException;

    void resolveRoute(long id, int timeoutMs) throws IOException;

    /**
     * RDMA_OPTION_ID_ACK_TIMEOUT (rdma_set_option(3)): sets the local ack timeout to 4.096 µs * 2^exponent. Call it
     * before connect or accept.
     */
    void setAckTimeout(long id, int exponent) throws IOException;

    void connect(long id, ByteBuffer privateData, int privateDataBytes, int retryCount, int rnrRetryCount)
            throws IOException;

    void accept(long id, ByteBuffer privateData, int privateDataBytes, int rnrRetryCount) throws IOException;

    void reject(long id, ByteBuffer privateData, int privateDataBytes) throws IOException;

    void disconnect(long id) throws IOException;

    /**
     * The device context of a bound, resolved or connecting id. It is the same for all ids of a device in this process.
     * 0 if the id has none yet.
     */
    long contextOf(long id) throws IOException;

    /** Name of a context's device. */
    String deviceName(long context);

    /**
     * Waits (poll(2)) up to {@code timeoutMs} for an event of the channel, an asynchronous event of {@code context} (0:
     * none), or {@code wakeFd}. Takes and acknowledges one event. Returns {@link CmEvent#NOTHING}, {@link CmEvent#CM},
     * {@link CmEvent#ASYNC}, or {@link CmEvent#WAKE} if the eventfd was read.
     *
     * @param event direct, little-endian, at least {@link CmEvent#SIZE_BYTES}; filled as in {@link CmEvent}
     */
    int nextEvent(long channel, long context, int wakeFd, int timeoutMs, ByteBuffer event) throws IOException;

    // ---- device

    /** ibv_query_device(3): max_cqe, max_qp_wr, in this order. */
    void queryDevice(long context, int[] values) throws IOException;

    long allocateProtectionDomain(long context) throws IOException;

    void deallocateProtectionDomain(long domain) throws IOException;

    /**
     * ibv_reg_mr(3). Throws a {@link RegistrationException}.
     *
     * @param access IBV_ACCESS_* bits
     * @param keys receives lkey, rkey
     * @return the ibv_mr
     */
    long registerMemory(long domain, long address, long lengthBytes, int access, int[] keys) throws IOException;

    /** ibv_dereg_mr(3), a synchronous fence: after it has returned, no byte changes through the region. */
    void deregisterMemory(long region) throws IOException;

    // ---- completions

    long createCompletionChannel(long context) throws IOException;

    void destroyCompletionChannel(long channel) throws IOException;

    /** The descriptor is non-blocking, and readable while events are pending. */
    int completionChannelFd(long channel);

    long createCompletionQueue(long context, long channel, int capacity) throws IOException;

    /** ibv_destroy_cq(3). Its queue pairs must be destroyed and its events acknowledged. */
    void destroyCompletionQueue(long completionQueue) throws IOException;

    /** ibv_req_notify_cq(3) for any completion. Data path. */
    void requestNotify(long completionQueue) throws IOException;

    /** Takes and acknowledges all pending events of the channel and returns their number. Data path. */
    int takeCompletionEvents(long channel) throws IOException;

    /**
     * ibv_poll_cq(3): writes up to {@code max} ibv_wc of 48 bytes to {@code completionsAddress} and returns their
     * number. Data path.
     */
    int poll(long completionQueue, int max, long completionsAddress) throws IOException;

    // ---- queue pairs

    /** rdma_create_qp(3): a reliable connected queue pair on a bound or resolved id. Returns the ibv_qp. */
    long createQueuePair(long id, long domain, long completionQueue, int sendDepth, int receiveDepth, int maxSegments)
            throws IOException;

    int queuePairNumber(long queuePair) throws IOException;

    /** IBV_QP_MIN_RNR_TIMER, in the encoding of ibv_modify_qp(3). The queue pair must be connected. */
    void setMinRnrTimer(long queuePair, int code) throws IOException;

    /** ibv_modify_qp(3) to IBV_QPS_ERR, which flushes all outstanding requests. */
    void moveToError(long queuePair) throws IOException;

    void destroyQueuePair(long id);

    /** ibv_post_send(3): posts the list of ibv_send_wr at that address. Returns 0 or the errno. Data path. */
    int postSend(long queuePair, long requestAddress);

    /** ibv_post_recv(3): posts the list of ibv_recv_wr at that address. Returns 0 or the errno. Data path. */
    int postReceive(long queuePair, long requestAddress);
}
