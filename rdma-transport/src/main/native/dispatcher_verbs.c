// SPDX-License-Identifier: Apache-2.0
// DiSNI's dispatcher: memory, completions and queue pairs. Methods that declare no exception return 0 or the errno.
#include "native.h"

#include <poll.h>

DISPATCHER(jlong, allocPd, jlong context) {
    struct ibv_pd *domain = ibv_alloc_pd(pointer(context));
    if (!domain) {
        throw_errno(env, "ibv_alloc_pd", errno);
        return -1;
    }
    return handle(domain);
}

DISPATCHER(jint, deallocPd, jlong domain) { return ibv_dealloc_pd(pointer(domain)); }

DISPATCHER(jint, getPdHandle, jlong domain) { return (jint)((struct ibv_pd *)pointer(domain))->handle; }

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
    if (!queue) {
        throw_errno(env, "ibv_create_cq", errno);
        return -1;
    }
    return handle(queue);
}

DISPATCHER(jint, destroyCQ, jlong queue) { return ibv_destroy_cq(pointer(queue)); }

// Returns 0 if there is an event, -1 if none arrived in time.
DISPATCHER(jint, getCqEvent, jlong channel, jint timeout_ms) {
    struct ibv_comp_channel *events = pointer(channel);
    struct pollfd readable = {.fd = events->fd, .events = POLLIN};
    struct ibv_cq *queue;
    void *context;
    if (poll(&readable, 1, timeout_ms) <= 0) {
        return -1;
    }
    if (ibv_get_cq_event(events, &queue, &context)) {
        throw_errno(env, "ibv_get_cq_event", errno);
        return -1;
    }
    return 0;
}

DISPATCHER(jint, ackCqEvent, jlong queue, jint count) {
    ibv_ack_cq_events(pointer(queue), (unsigned int)count);
    return 0;
}

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

// DiSNI's length is an int, read here as unsigned: up to 4 GiB.
DISPATCHER(jlong, regMr, jlong domain, jlong address, jint length, jint access, jlong lkey, jlong rkey, jlong key) {
    struct ibv_mr *region = ibv_reg_mr(pointer(domain), pointer(address), (uint32_t)length, (unsigned int)access);
    if (!region) {
        throw_errno(env, "ibv_reg_mr", errno);
        return -1;
    }
    *(uint32_t *)pointer(lkey) = region->lkey;
    *(uint32_t *)pointer(rkey) = region->rkey;
    *(uint32_t *)pointer(key) = region->handle;
    return handle(region);
}

DISPATCHER(void, deregMr, jlong region) {
    int error = ibv_dereg_mr(pointer(region));
    if (error) {
        throw_errno(env, "ibv_dereg_mr", error);
    }
}

// The device's general on-demand paging capabilities (IBV_ODP_SUPPORT and so on), 0 for none.
DISPATCHER(jint, queryOdpSupport, jlong context) {
    struct ibv_device_attr_ex attributes;
    if (ibv_query_device_ex(pointer(context), NULL, &attributes)) {
        return 0;
    }
    return (jint)attributes.odp_caps.general_caps;
}

DISPATCHER(jint, expPrefetchMr, jlong region, jlong address, jint length) {
    struct ibv_mr *target = pointer(region);
    struct ibv_sge range = {.addr = (uint64_t)address, .length = (uint32_t)length, .lkey = target->lkey};
    int error = ibv_advise_mr(target->pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 0, &range, 1);
    if (error) {
        throw_errno(env, "ibv_advise_mr", error);
    }
    return error;
}

// DiSNI does not define the layout of the attributes and passes none. The only transition needed is to the error state.
DISPATCHER(jint, modifyQP, jlong queue_pair, jlong attributes) {
    struct ibv_qp_attr to_error = {.qp_state = IBV_QPS_ERR};
    int error = attributes ? EINVAL : ibv_modify_qp(pointer(queue_pair), &to_error, IBV_QP_STATE);
    if (error) {
        throw_errno(env, "ibv_modify_qp", error);
    }
    return error;
}

DISPATCHER(void, postSend, jlong queue_pair, jlong request) {
    struct ibv_send_wr *bad;
    int error = ibv_post_send(pointer(queue_pair), pointer(request), &bad);
    if (error) {
        throw_errno(env, "ibv_post_send", error);
    }
}

DISPATCHER(void, postRecv, jlong queue_pair, jlong request) {
    struct ibv_recv_wr *bad;
    int error = ibv_post_recv(pointer(queue_pair), pointer(request), &bad);
    if (error) {
        throw_errno(env, "ibv_post_recv", error);
    }
}

DISPATCHER(jint, getQpNum, jlong queue_pair) { return (jint)((struct ibv_qp *)pointer(queue_pair))->qp_num; }

DISPATCHER(jint, getContextFd, jlong context) { return ((struct ibv_context *)pointer(context))->cmd_fd; }

DISPATCHER(jint, getContextNumCompVectors, jlong context) {
    return ((struct ibv_context *)pointer(context))->num_comp_vectors;
}
