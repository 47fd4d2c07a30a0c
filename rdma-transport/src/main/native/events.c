// SPDX-License-Identifier: Apache-2.0
// Extension: events of the connection manager and of the device, in the layout of io.slipstream.rdma.verbs.CmEvent.
#include "native.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { NOTHING = 0, CM = 1, ASYNC = 2, WAKE = 3 };

struct event {
    int32_t type;
    int32_t status;
    uint64_t id;
    uint64_t listen_id;
    uint32_t private_data_bytes;
    uint32_t unused;
    uint8_t private_data[256];
};
_Static_assert(offsetof(struct event, private_data) == 32 && sizeof(struct event) == 288, "CmEvent");
_Static_assert(sizeof(((struct rdma_conn_param *)0)->private_data_len) == 1, "private data is at most 255 bytes");

static int take_cm_event(JNIEnv *env, struct rdma_event_channel *channel, struct event *out) {
    struct rdma_cm_event *event;
    if (rdma_get_cm_event(channel, &event)) {
        // EAGAIN: librdmacm has handled the event itself.
        if (errno != EAGAIN && errno != EINTR) {
            throw_errno(env, "rdma_get_cm_event", errno);
        }
        return NOTHING;
    }
    *out = (struct event){
        .type = (int32_t)event->event,
        .status = event->status,
        .id = (uint64_t)handle(event->id),
        .listen_id = (uint64_t)handle(event->listen_id),
    };
    const struct rdma_conn_param *connection = &event->param.conn;
    if (connection->private_data) {
        out->private_data_bytes = connection->private_data_len;
        memcpy(out->private_data, connection->private_data, connection->private_data_len);
    }
    rdma_ack_cm_event(event);
    return CM;
}

// A port number, or one of several kinds of pointers that are all in the same place. Other events have no element that
// Java reads.
static uint64_t element_of(const struct ibv_async_event *event) {
    int is_port = event->event_type == IBV_EVENT_PORT_ACTIVE || event->event_type == IBV_EVENT_PORT_ERR;
    return is_port ? (uint64_t)event->element.port_num : (uint64_t)handle(event->element.qp);
}

static int take_async_event(JNIEnv *env, struct ibv_context *context, struct event *out) {
    struct ibv_async_event event;
    // All users of the device in this process share the context: another one may have taken the event.
    int error = make_non_blocking(context->async_fd);
    if (error) {
        throw_errno(env, "fcntl", error);
        return NOTHING;
    }
    if (ibv_get_async_event(context, &event)) {
        if (errno != EAGAIN && errno != EINTR) {
            throw_errno(env, "ibv_get_async_event", errno);
        }
        return NOTHING;
    }
    *out = (struct event){.type = (int32_t)event.event_type, .id = element_of(&event)};
    ibv_ack_async_event(&event);
    return ASYNC;
}

EXTENSION(jint, nextEvent, jlong channel, jlong context, jint wake_fd, jint timeout_ms, jobject buffer) {
    struct event *out = (*env)->GetDirectBufferAddress(env, buffer);
    if (!out || (*env)->GetDirectBufferCapacity(env, buffer) < (jlong)sizeof *out) {
        throw_illegal_argument(env, "an event needs a direct buffer of CmEvent.SIZE_BYTES");
        return NOTHING;
    }
    struct rdma_event_channel *cm = pointer(channel);
    struct ibv_context *device = pointer(context);
    // poll(2) skips negative descriptors.
    struct pollfd sources[] = {
        {.fd = wake_fd, .events = POLLIN},
        {.fd = device ? device->async_fd : -1, .events = POLLIN},
        {.fd = cm->fd, .events = POLLIN},
    };
    int ready = poll(sources, 3, timeout_ms);
    if (ready < 0 && errno != EINTR) {
        throw_errno(env, "poll", errno);
    }
    if (ready <= 0) {
        return NOTHING;
    }
    for (int i = 0; i < 3; i++) {
        if (sources[i].revents & POLLNVAL) {
            throw_errno(env, "poll", EBADF);
            return NOTHING;
        }
    }
    if (sources[0].revents) {
        uint64_t count;
        ssize_t bytes = read(wake_fd, &count, sizeof count);
        return bytes < 0 ? NOTHING : WAKE;
    }
    return sources[1].revents ? take_async_event(env, device, out) : take_cm_event(env, cm, out);
}

EXTENSION(jint, completionChannelFd, jlong channel) { return ((struct ibv_comp_channel *)pointer(channel))->fd; }

EXTENSION(jint, takeCompletionEvents, jlong channel) {
    struct ibv_cq *queue;
    void *context;
    jint count = 0;
    for (;;) {
        if (ibv_get_cq_event(pointer(channel), &queue, &context) == 0) {
            ibv_ack_cq_events(queue, 1);
            count++;
        } else if (errno == EAGAIN) {
            return count;
        } else if (errno != EINTR) {
            throw_errno(env, "ibv_get_cq_event", errno);
            return count;
        }
    }
}
