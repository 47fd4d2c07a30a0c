// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.nio.ByteBuffer;

/**
 * Layout of an event as {@link NativeVerbs#nextEvent} writes it, little-endian. In a CM event the pointers are
 * rdma_cm_ids (rdma_get_cm_event(3)). An ASYNC event has only its type (ibv_event_type) and its element: an ibv_qp or
 * ibv_cq pointer, or a port number (ibv_get_async_event(3)).
 */
public final class CmEvent {
    public static final int NOTHING = 0;
    public static final int CM = 1;
    public static final int ASYNC = 2;
    public static final int WAKE = 3;

    /** Type: rdma_cm_event_type or ibv_event_type. */
    public static final int TYPE = 0;

    /** Status: negative errno, or the reject reason. */
    public static final int STATUS = 4;

    /** rdma_cm_id, or the element of an asynchronous event. */
    public static final int ID = 8;
    /** The listening rdma_cm_id of a connection request, else 0. */
    public static final int LISTEN_ID = 16;
    /**
     * Number of bytes of private data as transported, including the zeros with which the connection manager pads it.
     */
    public static final int PRIVATE_DATA_BYTES = 24;

    public static final int PRIVATE_DATA = 32;
    public static final int SIZE_BYTES = PRIVATE_DATA + 256;

    // rdma_cm_event_type
    public static final int ADDR_RESOLVED = 0;
    public static final int ADDR_ERROR = 1;
    public static final int ROUTE_RESOLVED = 2;
    public static final int ROUTE_ERROR = 3;
    public static final int CONNECT_REQUEST = 4;
    public static final int CONNECT_ERROR = 6;
    public static final int UNREACHABLE = 7;
    public static final int REJECTED = 8;
    public static final int ESTABLISHED = 9;
    public static final int DISCONNECTED = 10;
    public static final int DEVICE_REMOVAL = 11;

    private CmEvent() {}

    /** The owner of an rdma_cm_id. It receives the events of that id on the connection thread. */
    interface Handler {
        /** @param event valid during the call */
        void onEvent(ByteBuffer event);
    }
}
