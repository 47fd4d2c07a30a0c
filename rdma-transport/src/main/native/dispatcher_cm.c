// SPDX-License-Identifier: Apache-2.0
// DiSNI's dispatcher: the connection manager. Methods that declare no exception return 0 or the errno.
#include "native.h"

#include <poll.h>
#include <string.h>

DISPATCHER(jlong, createEventChannel) {
    struct rdma_event_channel *channel = rdma_create_event_channel();
    if (!channel) {
        throw_errno(env, "rdma_create_event_channel", errno);
        return -1;
    }
    int error = make_non_blocking(channel->fd);
    if (error) {
        rdma_destroy_event_channel(channel);
        throw_errno(env, "fcntl", error);
        return -1;
    }
    return handle(channel);
}

DISPATCHER(jlong, createId, jlong channel, jshort port_space) {
    struct rdma_cm_id *id;
    if (port_space != RDMA_PS_TCP) {
        throw_errno(env, "rdma_create_id", EPROTONOSUPPORT);
        return -1;
    }
    if (rdma_create_id(pointer(channel), &id, NULL, RDMA_PS_TCP)) {
        throw_errno(env, "rdma_create_id", errno);
        return -1;
    }
    return handle(id);
}

DISPATCHER(jlong, createQP, jlong id, jlong domain, jlong send_queue, jlong receive_queue, jint type, jint max_send,
           jint max_receive, jint max_inline) {
    struct rdma_cm_id *cm_id = pointer(id);
    struct ibv_qp_init_attr attributes = {
        .send_cq = pointer(send_queue),
        .recv_cq = pointer(receive_queue),
        .qp_type = (enum ibv_qp_type)type,
        .cap = {.max_send_wr = (uint32_t)max_send,
                .max_recv_wr = (uint32_t)max_receive,
                .max_send_sge = 1,
                .max_recv_sge = 1,
                .max_inline_data = (uint32_t)max_inline},
    };
    if (rdma_create_qp(cm_id, pointer(domain), &attributes)) {
        throw_errno(env, "rdma_create_qp", errno);
        return -1;
    }
    return handle(cm_id->qp);
}

DISPATCHER(void, bindAddr, jlong id, jlong address) {
    if (rdma_bind_addr(pointer(id), pointer(address))) {
        throw_errno(env, "rdma_bind_addr", errno);
    }
}

DISPATCHER(void, listen, jlong id, jint backlog) {
    if (rdma_listen(pointer(id), backlog)) {
        throw_errno(env, "rdma_listen", errno);
    }
}

DISPATCHER(void, resolveAddr, jlong id, jlong source, jlong destination, jint timeout_ms) {
    if (rdma_resolve_addr(pointer(id), pointer(source), pointer(destination), timeout_ms)) {
        throw_errno(env, "rdma_resolve_addr", errno);
    }
}

DISPATCHER(void, resolveRoute, jlong id, jint timeout_ms) {
    if (rdma_resolve_route(pointer(id), timeout_ms)) {
        throw_errno(env, "rdma_resolve_route", errno);
    }
}

// Returns the event's number, or -1 if there was none in time. Acknowledges it at once: only two pointers stay.
DISPATCHER(jint, getCmEvent, jlong channel, jlong listen_id, jlong client_id, jint timeout_ms) {
    struct rdma_event_channel *events = pointer(channel);
    struct pollfd readable = {.fd = events->fd, .events = POLLIN};
    struct rdma_cm_event *event;
    if (poll(&readable, 1, timeout_ms) <= 0 || rdma_get_cm_event(events, &event)) {
        return -1;
    }
    *(jlong *)pointer(listen_id) = event->listen_id ? handle(event->listen_id) : -1;
    *(jlong *)pointer(client_id) = event->id ? handle(event->id) : -1;
    jint type = (jint)event->event;
    rdma_ack_cm_event(event);
    return type;
}

DISPATCHER(jint, ackCmEvent, jint event UNUSED) { return 0; }

DISPATCHER(void, connect, jlong id, jint retry_count, jint rnr_retry_count, jlong private_data, jbyte private_bytes) {
    struct rdma_conn_param parameters = {
        .private_data = private_bytes ? pointer(private_data) : NULL,
        .private_data_len = (uint8_t)private_bytes,
        .responder_resources = RDMA_MAX_RESP_RES,
        .initiator_depth = RDMA_MAX_INIT_DEPTH,
        .retry_count = (uint8_t)retry_count,
        .rnr_retry_count = (uint8_t)rnr_retry_count,
    };
    if (rdma_connect(pointer(id), &parameters)) {
        throw_errno(env, "rdma_connect", errno);
    }
}

DISPATCHER(void, accept, jlong id, jint retry_count, jint rnr_retry_count) {
    struct rdma_conn_param parameters = {
        .responder_resources = RDMA_MAX_RESP_RES,
        .initiator_depth = RDMA_MAX_INIT_DEPTH,
        .retry_count = (uint8_t)retry_count,
        .rnr_retry_count = (uint8_t)rnr_retry_count,
    };
    if (rdma_accept(pointer(id), &parameters)) {
        throw_errno(env, "rdma_accept", errno);
    }
}

DISPATCHER(jint, disconnect, jlong id) { return cm_error(rdma_disconnect(pointer(id))); }

DISPATCHER(jint, destroyEventChannel, jlong channel) {
    rdma_destroy_event_channel(pointer(channel));
    return 0;
}

DISPATCHER(jint, destroyCmId, jlong id) { return cm_error(rdma_destroy_id(pointer(id))); }

DISPATCHER(jint, destroyQP, jlong id) {
    struct rdma_cm_id *cm_id = pointer(id);
    if (!cm_id->qp) {
        return EINVAL;
    }
    rdma_destroy_qp(cm_id);
    return 0;
}

DISPATCHER(jint, destroyEp, jlong id) {
    rdma_destroy_ep(pointer(id));
    return 0;
}

// DiSNI's addresses are IPv4 only.
static jint copy_address(const struct sockaddr *address, jlong target) {
    if (!address || address->sa_family != AF_INET) {
        return EAFNOSUPPORT;
    }
    memcpy(pointer(target), address, sizeof(struct sockaddr_in));
    return 0;
}

DISPATCHER(jint, getSrcAddr, jlong id, jlong address) {
    return copy_address(rdma_get_local_addr(pointer(id)), address);
}

DISPATCHER(jint, getDstAddr, jlong id, jlong address) {
    return copy_address(rdma_get_peer_addr(pointer(id)), address);
}

// Returns 0 until the id is bound, resolved or connecting, because it belongs to no device before.
DISPATCHER(jlong, getContext, jlong id) { return handle(((struct rdma_cm_id *)pointer(id))->verbs); }
