// SPDX-License-Identifier: Apache-2.0
// Extension: connections with IPv6, private data both ways, reject and ack timeout.
#include "native.h"

#include <arpa/inet.h>
#include <string.h>

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

// Reads an address of 4 or 16 bytes in network order. Returns 0 with an exception pending for any other length.
static int read_address(JNIEnv *env, jbyteArray bytes, jint scope_id, jint port, union address *address) {
    jsize count = bytes ? (*env)->GetArrayLength(env, bytes) : 0;
    if (port < 0 || port > UINT16_MAX) {
        throw_illegal_argument(env, "a port is 0 to 65535");
        return 0;
    }
    memset(address, 0, sizeof *address);
    if (count == sizeof address->v4.sin_addr) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons((uint16_t)port);
        (*env)->GetByteArrayRegion(env, bytes, 0, count, (jbyte *)&address->v4.sin_addr);
    } else if (count == sizeof address->v6.sin6_addr) {
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = htons((uint16_t)port);
        address->v6.sin6_scope_id = (uint32_t)scope_id;
        (*env)->GetByteArrayRegion(env, bytes, 0, count, (jbyte *)&address->v6.sin6_addr);
    } else {
        throw_illegal_argument(env, "an IP address has 4 or 16 bytes");
        return 0;
    }
    return 1;
}

// Finds the private data of a direct buffer. Returns 0 with an exception pending if the buffer is shorter than that.
static int read_private_data(JNIEnv *env, jobject buffer, jint bytes, const void **data) {
    *data = buffer && bytes ? (*env)->GetDirectBufferAddress(env, buffer) : NULL;
    if (bytes < 0 || bytes > UINT8_MAX || (bytes && (!*data || (*env)->GetDirectBufferCapacity(env, buffer) < bytes))) {
        throw_illegal_argument(env, "private data needs a direct buffer of that length, at most 255 bytes");
        return 0;
    }
    return 1;
}

EXTENSION(void, bindAddress, jlong id, jbyteArray ip_address, jint scope_id, jint port) {
    union address address;
    if (read_address(env, ip_address, scope_id, port, &address) && rdma_bind_addr(pointer(id), &address.any)) {
        throw_errno(env, "rdma_bind_addr", errno);
    }
}

EXTENSION(jint, localPort, jlong id) { return ntohs(rdma_get_src_port(pointer(id))); }

EXTENSION(void, resolveAddress, jlong id, jbyteArray source_address, jbyteArray ip_address, jint scope_id, jint port,
          jint timeout_ms) {
    union address source, destination;
    if (!read_address(env, ip_address, scope_id, port, &destination) ||
        (source_address && !read_address(env, source_address, scope_id, 0, &source))) {
        return;
    }
    struct sockaddr *from = source_address ? &source.any : NULL;
    throw_if(env, "rdma_resolve_addr", cm_error(rdma_resolve_addr(pointer(id), from, &destination.any, timeout_ms)));
}

EXTENSION(void, setAckTimeout, jlong id, jint exponent) {
    uint8_t value = (uint8_t)exponent;
    if (rdma_set_option(pointer(id), RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &value, sizeof value)) {
        throw_errno(env, "rdma_set_option", errno);
    }
}

// Asks for as many outstanding reads as possible: the connection manager takes what both devices support.
static struct rdma_conn_param parameters_of(const void *private_data, jint bytes, jint retry_count,
                                            jint rnr_retry_count) {
    return (struct rdma_conn_param){
        .private_data = private_data,
        .private_data_len = (uint8_t)bytes,
        .responder_resources = RDMA_MAX_RESP_RES,
        .initiator_depth = RDMA_MAX_INIT_DEPTH,
        .retry_count = (uint8_t)retry_count,
        .rnr_retry_count = (uint8_t)rnr_retry_count,
    };
}

EXTENSION(void, connect, jlong id, jobject private_data, jint bytes, jint retry_count, jint rnr_retry_count) {
    const void *data;
    if (!read_private_data(env, private_data, bytes, &data)) {
        return;
    }
    struct rdma_conn_param parameters = parameters_of(data, bytes, retry_count, rnr_retry_count);
    throw_if(env, "rdma_connect", cm_error(rdma_connect(pointer(id), &parameters)));
}

EXTENSION(void, accept, jlong id, jobject private_data, jint bytes, jint rnr_retry_count) {
    const void *data;
    if (!read_private_data(env, private_data, bytes, &data)) {
        return;
    }
    // The connecting side chooses the retry count.
    struct rdma_conn_param parameters = parameters_of(data, bytes, 0, rnr_retry_count);
    throw_if(env, "rdma_accept", cm_error(rdma_accept(pointer(id), &parameters)));
}

EXTENSION(void, reject, jlong id, jobject private_data, jint bytes) {
    const void *data;
    if (read_private_data(env, private_data, bytes, &data) && rdma_reject(pointer(id), data, (uint8_t)bytes)) {
        throw_errno(env, "rdma_reject", errno);
    }
}
