// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.util.Collection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles a device's asynchronous events (ibv_get_async_event(3)). Connection thread only. */
record DeviceEvents(
        String deviceName,
        LinkGate gate,
        Collection<ConnectionControl> connections,
        Collection<VerbsCompletionQueue> completionQueues) {
    private static final Logger log = LoggerFactory.getLogger(DeviceEvents.class);

    /** @param element ibv_qp, ibv_cq or port number, depending on the type */
    void handle(int type, long element) {
        switch (type) {
            case VerbsLayout.EVENT_QP_FATAL, VerbsLayout.EVENT_QP_REQ_ERR, VerbsLayout.EVENT_QP_ACCESS_ERR ->
                connections.stream()
                        .filter(connection -> connection.is(element))
                        .forEach(connection ->
                                connection.queuePair.disconnect("fatal error of the queue pair (event " + type + ")"));
            case VerbsLayout.EVENT_CQ_ERR ->
                completionQueues.stream()
                        .filter(queue -> queue.is(element))
                        .forEach(queue -> queue.fail("the device reported a fatal error"));
            case VerbsLayout.EVENT_DEVICE_FATAL -> {
                log.error("RDMA device {} has failed", deviceName);
                endAll("the RDMA device has failed");
            }
            case VerbsLayout.EVENT_PORT_ERR -> {
                log.warn("RDMA device {} port {}: link down", deviceName, element);
                keepAlive();
            }
            case VerbsLayout.EVENT_PORT_ACTIVE -> {
                log.info("RDMA device {} port {}: link up", deviceName, element);
                gate.release();
            }
            default -> log.debug("RDMA device {}: event {}", deviceName, type);
        }
    }

    void endAll(String reason) {
        connections.forEach(connection -> connection.queuePair.disconnect(reason));
    }

    void keepAlive() {
        connections.forEach(ConnectionControl::keepAlive);
    }
}
