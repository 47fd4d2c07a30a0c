// SPDX-License-Identifier: Apache-2.0
// The natives of DiSNI's dispatcher that DisniVerbs calls. Methods that declare no exception return 0 or the errno.
#include "native.h"

static jlong handle_or_throw(JNIEnv *env, const char *function, const void *object) {
    if (!object) {
        throw_errno(env, function, errno);
        return -1;
    }
    return handle(object);
}

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
    if (rdma_create_id(pointer(channel), &id, NULL, (enum rdma_port_space)port_space)) {
        throw_errno(env, "rdma_create_id", errno);
        return -1;
    }
    return handle(id);
}

DISPATCHER(void, listen, jlong id, jint backlog) {
    throw_if(env, "rdma_listen", cm_error(rdma_listen(pointer(id), backlog)));
}

DISPATCHER(void, resolveRoute, jlong id, jint timeout_ms) {
    throw_if(env, "rdma_resolve_route", cm_error(rdma_resolve_route(pointer(id), timeout_ms)));
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

// Returns 0 until the id is bound, resolved or connecting, because it belongs to no device before.
DISPATCHER(jlong, getContext, jlong id) { return handle(((struct rdma_cm_id *)pointer(id))->verbs); }

DISPATCHER(jlong, allocPd, jlong context) {
    return handle_or_throw(env, "ibv_alloc_pd", ibv_alloc_pd(pointer(context)));
}

DISPATCHER(jint, deallocPd, jlong domain) { return ibv_dealloc_pd(pointer(domain)); }

DISPATCHER(jlong, createCompChannel, jlong context) {
    struct ibv_comp_channel *channel = ibv_create_comp_channel(pointer(context));
    if (!channel) {
        throw_errno(env, "ibv_create_comp_channel", errno);
        return -1;
    }
    int error = make_non_blocking(channel->fd);
    if (error) {
        ibv_destroy_comp_channel(channel);
        throw_errno(env, "fcntl", error);
        return -1;
    }
    return handle(channel);
}

DISPATCHER(jint, destroyCompChannel, jlong channel) { return ibv_destroy_comp_channel(pointer(channel)); }

DISPATCHER(jlong, createCQ, jlong context, jlong channel, jint capacity, jint vector) {
    struct ibv_cq *queue = ibv_create_cq(pointer(context), capacity, NULL, pointer(channel), vector);
    return handle_or_throw(env, "ibv_create_cq", queue);
}

DISPATCHER(jint, destroyCQ, jlong queue) { return ibv_destroy_cq(pointer(queue)); }

DISPATCHER(jint, reqNotifyCQ, jlong queue, jint solicited_only) {
    return ibv_req_notify_cq(pointer(queue), solicited_only);
}

DISPATCHER(jint, pollCQ, jlong queue, jint max, jlong completions) {
    int count = ibv_poll_cq(pointer(queue), max, pointer(completions));
    if (count < 0) {
        // Device libraries return -1 or a negative errno.
        throw_errno(env, "ibv_poll_cq", count == -1 ? EIO : -count);
    }
    return count;
}

DISPATCHER(void, deregMr, jlong region) { throw_if(env, "ibv_dereg_mr", ibv_dereg_mr(pointer(region))); }

// DiSNI does not define the layout of the attributes and passes none. The only transition needed is to the error state.
DISPATCHER(jint, modifyQP, jlong queue_pair, jlong attributes) {
    struct ibv_qp_attr to_error = {.qp_state = IBV_QPS_ERR};
    int error = attributes ? EINVAL : ibv_modify_qp(pointer(queue_pair), &to_error, IBV_QP_STATE);
    throw_if(env, "ibv_modify_qp", error);
    return error;
}

DISPATCHER(jint, getQpNum, jlong queue_pair) { return (jint)((struct ibv_qp *)pointer(queue_pair))->qp_num; }
