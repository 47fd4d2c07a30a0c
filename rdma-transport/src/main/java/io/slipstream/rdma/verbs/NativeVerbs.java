// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The calls into libibverbs and librdmacm that the provider is made of, one to one with the functions of their man pages: no state, no
 * checks beyond errno. Handles are raw pointers; using one after its destroy call is undefined. All failures are IOExceptions that name the
 * function and the error ({@code ibv_reg_mr: ENOMEM (Cannot allocate memory)}); no call blocks unless it says so.
 *
 * <p>Implemented over DiSNI's dispatcher and, for what that lacks, our own natives, both in {@code libdisni.so}; obtained from
 * {@link NativeLibrary}. An interface, because the implementation lives in a class loader of its own that can tell the JVM where the
 * library was unpacked.
 */
public interface NativeVerbs {
    // ---- memory
    // ------------------------------------------------------------------------------------------------------------

    /** Zeroed, page-aligned, populated, private anonymous memory that forked children do not share (mmap, MADV_DONTFORK). */
    long allocate(long lengthBytes) throws IOException;

    /** A shared mapping of {@code [position, position + lengthBytes)} of a file; position is page-aligned. The file may then be closed. */
    long mapFile(String path, long position, long lengthBytes, boolean writable) throws IOException;

    /** Of what {@link #allocate} or {@link #mapFile} returned. */
    void unmap(long address, long lengthBytes);

    /** A direct buffer over memory, which it does not own; native byte order is the caller's to set. */
    ByteBuffer bufferAt(long address, int lengthBytes);

    long addressOf(ByteBuffer directBuffer);

    // ---- connection manager
    // ------------------------------------------------------------------------------------------------

    long createEventChannel() throws IOException;

    void destroyEventChannel(long channel);

    /** An rdma_cm_id of RDMA_PS_TCP on that channel. */
    long createId(long channel) throws IOException;

    /** All events of the id must have been taken from the channel; its queue pair must be destroyed. */
    void destroyId(long id) throws IOException;

    /**
     * @param ipAddress 4 or 16 bytes in network order
     * @param scopeId of an IPv6 link-local address, else 0
     * @param port 0: any
     */
    void bindAddress(long id, byte[] ipAddress, int scopeId, int port) throws IOException;

    void listen(long id, int backlog) throws IOException;

    int localPort(long id);

    /** @param sourceAddress null: by route */
    void resolveAddress(long id, byte[] sourceAddress, byte[] ipAddress, int scopeId, int port, int timeoutMs)
            throws IOException;

    void resolveRoute(long id, int timeoutMs) throws IOException;

    /** RDMA_OPTION_ID_ACK_TIMEOUT: local ack timeout is 4.096 µs * 2^exponent. Before connect or accept. */
    void setAckTimeout(long id, int exponent) throws IOException;

    void connect(long id, ByteBuffer privateData, int privateDataBytes, int retryCount, int rnrRetryCount)
            throws IOException;

    void accept(long id, ByteBuffer privateData, int privateDataBytes, int rnrRetryCount) throws IOException;

    void reject(long id, ByteBuffer privateData, int privateDataBytes) throws IOException;

    void disconnect(long id) throws IOException;

    /** The device context of a bound, resolved or connecting id: the same for all ids of a device in this process. 0 if none yet. */
    long contextOf(long id);

    /** Name of a context's device. */
    String deviceName(long context);

    /** The port of a bound or resolved id. */
    int portNumber(long id);

    /**
     * Waits (poll(2)) up to {@code timeoutMs} for an event of the channel, for {@code context} (its asynchronous events; 0: none)
     * or for {@code wakeFd}; takes and acknowledges one event. Returns what was there: {@link CmEvent#NOTHING}, {@link CmEvent#CM},
     * {@link CmEvent#ASYNC} or {@link CmEvent#WAKE} (the eventfd was read).
     *
     * @param event direct, little-endian, at least {@link CmEvent#SIZE_BYTES}; filled as {@link CmEvent} says
     */
    int nextEvent(long channel, long context, int wakeFd, int timeoutMs, ByteBuffer event) throws IOException;

    // ---- device
    // ------------------------------------------------------------------------------------------------------------

    /** ibv_query_device: max_qp_rd_atom, max_qp_init_rd_atom, atomic_cap, max_cqe, max_qp_wr, max_sge, max_mr_size, in this order. */
    void queryDevice(long context, long[] values) throws IOException;

    long allocateProtectionDomain(long context) throws IOException;

    void deallocateProtectionDomain(long domain) throws IOException;

    /**
     * @param access IBV_ACCESS_* bits
     * @param keys receives lkey, rkey
     * @return the ibv_mr
     */
    long registerMemory(long domain, long address, long lengthBytes, int access, int[] keys) throws IOException;

    /** Synchronous fence: after it returned no byte changes through the region. */
    void deregisterMemory(long region) throws IOException;

    // ---- completions
    // -------------------------------------------------------------------------------------------------------

    long createCompletionChannel(long context) throws IOException;

    void destroyCompletionChannel(long channel) throws IOException;

    /** Non-blocking; readable while events are pending. */
    int completionChannelFd(long channel);

    long createCompletionQueue(long context, long channel, int capacity) throws IOException;

    /** Queue pairs must be gone and events acknowledged. */
    void destroyCompletionQueue(long completionQueue) throws IOException;

    /** ibv_req_notify_cq for any completion. Data path. */
    void requestNotify(long completionQueue) throws IOException;

    /** Takes and acknowledges all pending events of the channel; returns how many. Data path. */
    int takeCompletionEvents(long channel) throws IOException;

    /** Writes up to {@code max} ibv_wc of 48 bytes to {@code completionsAddress}; returns how many. Data path. */
    int poll(long completionQueue, int max, long completionsAddress) throws IOException;

    // ---- queue pairs
    // -------------------------------------------------------------------------------------------------------

    /** A reliable connected queue pair on a bound or resolved id; returns the ibv_qp. */
    long createQueuePair(
            long id,
            long domain,
            long completionQueue,
            int sendDepth,
            int receiveDepth,
            int maxSegments,
            int maxInlineBytes)
            throws IOException;

    int queuePairNumber(long queuePair);

    /** IBV_QP_MIN_RNR_TIMER, in the encoding of ibv_modify_qp(3). Once connected. */
    void setMinRnrTimer(long queuePair, int code) throws IOException;

    /** ibv_modify_qp to IBV_QPS_ERR: everything outstanding is flushed. */
    void moveToError(long queuePair) throws IOException;

    void destroyQueuePair(long id);

    /** Posts the list of ibv_send_wr at that address; 0, or the errno. Data path. */
    int postSend(long queuePair, long requestAddress);

    /** Posts the list of ibv_recv_wr at that address; 0, or the errno. Data path. */
    int postReceive(long queuePair, long requestAddress);
}
