// SPDX-License-Identifier: Apache-2.0
// Extension: the device, regions of any length, queue pairs with several segments, posts without exceptions.
#include "native.h"

EXTENSION(jobject, allocateDispatcher, jclass type) { return (*env)->AllocObject(env, type); }

EXTENSION(jstring, deviceName, jlong context) {
    const char *name = ibv_get_device_name(((struct ibv_context *)pointer(context))->device);
    return name ? (*env)->NewStringUTF(env, name) : NULL;
}

EXTENSION(void, queryDevice, jlong context, jintArray values) {
    struct ibv_device_attr device;
    int error = ibv_query_device(pointer(context), &device);
    if (error) {
        throw_errno(env, "ibv_query_device", error);
        return;
    }
    jint limits[] = {device.max_cqe, device.max_qp_wr};
    // Throws ArrayIndexOutOfBoundsException if the array is too short.
    (*env)->SetIntArrayRegion(env, values, 0, 2, limits);
}

// Returns the ibv_mr or the negative errno, of which the caller explains some.
EXTENSION(jlong, tryRegister, jlong domain, jlong address, jlong length, jint access, jintArray keys) {
    if (length <= 0 || !keys || (*env)->GetArrayLength(env, keys) < 2) {
        return -EINVAL;
    }
    struct ibv_mr *region = ibv_reg_mr(pointer(domain), pointer(address), (size_t)length, (unsigned int)access);
    if (!region) {
        return -errno;
    }
    jint both[] = {(jint)region->lkey, (jint)region->rkey};
    (*env)->SetIntArrayRegion(env, keys, 0, 2, both);
    return handle(region);
}

EXTENSION(jlong, createQueuePair, jlong id, jlong domain, jlong completion_queue, jint send_depth, jint receive_depth,
          jint max_segments) {
    struct rdma_cm_id *cm_id = pointer(id);
    struct ibv_qp_init_attr attributes = {
        .send_cq = pointer(completion_queue),
        .recv_cq = pointer(completion_queue),
        .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = (uint32_t)send_depth,
                .max_recv_wr = (uint32_t)receive_depth,
                .max_send_sge = (uint32_t)max_segments,
                .max_recv_sge = (uint32_t)max_segments},
    };
    if (rdma_create_qp(cm_id, pointer(domain), &attributes)) {
        throw_errno(env, "rdma_create_qp", errno);
        return 0;
    }
    return handle(cm_id->qp);
}

EXTENSION(void, setMinRnrTimer, jlong queue_pair, jint code) {
    struct ibv_qp_attr attributes = {.min_rnr_timer = (uint8_t)code};
    throw_if(env, "ibv_modify_qp", ibv_modify_qp(pointer(queue_pair), &attributes, IBV_QP_MIN_RNR_TIMER));
}

EXTENSION(jint, postSend, jlong queue_pair, jlong request) {
    struct ibv_send_wr *bad;
    return ibv_post_send(pointer(queue_pair), pointer(request), &bad);
}

EXTENSION(jint, postReceive, jlong queue_pair, jlong request) {
    struct ibv_recv_wr *bad;
    return ibv_post_recv(pointer(queue_pair), pointer(request), &bad);
}
