// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.profile;

import java.util.List;
import java.util.Set;

/**
 * The activity of a stack, from the innermost frame with one of these prefixes. Of two matches, the first in the list.
 */
enum Category {
    SOCKET_WRITE(
            Owner.KERNEL,
            "socket write",
            "sock_write_iter",
            "sock_sendmsg",
            "tcp_sendmsg",
            "unix_stream_sendmsg",
            "sys_sendto",
            "sys_sendmsg",
            "sys_sendfile64",
            "__send",
            "sendfile",
            "netty_unix_socket_write",
            "netty_unix_socket_send",
            "sun/nio/ch/SocketChannelImpl.write"),
    SOCKET_READ(
            Owner.KERNEL,
            "socket read",
            "sock_read_iter",
            "sock_recvmsg",
            "tcp_recvmsg",
            "unix_stream_recvmsg",
            "sys_recvfrom",
            "sys_recvmsg",
            "__libc_recv",
            "netty_unix_socket_read",
            "netty_unix_socket_recv",
            "sun/nio/ch/SocketChannelImpl.read"),
    WAIT(
            Owner.KERNEL,
            "waiting and waking",
            "sys_epoll_",
            "do_epoll_",
            "ep_",
            "epoll_",
            "eventfd_",
            "sys_futex",
            "do_futex",
            "futex_",
            "schedule_",
            "__schedule",
            "finish_task_switch",
            "try_to_wake_up",
            "__wake_up",
            "sock_def_readable",
            "pthread_cond_",
            "netty_epoll_native_",
            "sun/nio/ch/EPoll",
            "jdk/internal/misc/Unsafe.park",
            "jdk/internal/misc/Unsafe.unpark"),
    FILE(
            Owner.KERNEL,
            "file write and read",
            "ext4_",
            "generic_perform_write",
            "generic_file_",
            "filemap_",
            "shmem_",
            "jbd2_",
            "iomap_",
            "sys_pread64",
            "sys_pwrite64",
            "sun/nio/ch/FileChannelImpl"),
    KERNEL_OTHER(Owner.KERNEL, "interrupts, page faults", "asm_exc_page_fault", "asm_sysvec_"),
    GC(
            Owner.JVM,
            "collector, slow allocation",
            "G1",
            "CollectedHeap::",
            "MemAllocator::",
            "OptoRuntime::new_",
            "InstanceKlass::allocate"),
    LOOKING(
            Owner.OURS,
            "looking before sleeping",
            "io/slipstream/rdma/AdaptiveSpin",
            "io/slipstream/broker/ring/RingThread.",
            "io/slipstream/link/work/CompletionPump.spin",
            "io/slipstream/rdma/shm/ShmCompletionQueue.poll"),
    TRANSPORT(Owner.OURS, "RDMA operations", "io/slipstream/rdma/"),
    READS(
            Owner.OURS,
            "slots and reads",
            "io/slipstream/broker/fetch/",
            "io/slipstream/broker/kafka/reads/",
            "io/slipstream/proxy/fetch/",
            "io/slipstream/protocol/fetch/",
            "io/slipstream/protocol/slot/",
            "io/slipstream/protocol/record/"),
    RING(
            Owner.OURS,
            "ring and link",
            "io/slipstream/broker/ring/",
            "io/slipstream/broker/kafka",
            "io/slipstream/broker/session/",
            "io/slipstream/broker/control/",
            "io/slipstream/link/",
            "io/slipstream/proxy/ring/",
            "io/slipstream/proxy/rdma/",
            "io/slipstream/protocol/ring/"),
    HOOKS(Owner.OURS, "hooks", "io/slipstream/broker/"),
    SESSION(Owner.OURS, "client sessions and frames", "io/slipstream/"),
    NETTY_LOOP(
            Owner.NETTY,
            "turns of the event loop",
            "io/netty/util/concurrent/",
            "io/netty/channel/SingleThreadIoEventLoop",
            "io/netty/channel/epoll/EpollIoHandler",
            "io/netty/util/internal/shaded/org/jctools/"),
    NETTY(Owner.NETTY, "channels and buffers", "io/netty/"),
    KAFKA_LOG(
            Owner.KAFKA,
            "log: validation, append, read",
            "kafka/server/ReplicaManager",
            "kafka/cluster/",
            "kafka/log/",
            "org/apache/kafka/storage/internals/",
            "org/apache/kafka/common/record/",
            "org/apache/kafka/common/compress/"),
    PURGATORY(
            Owner.KAFKA,
            "purgatory and timers",
            "org/apache/kafka/server/purgatory/",
            "org/apache/kafka/server/util/timer/",
            "kafka/server/Delayed"),
    KAFKA_METRICS(
            Owner.KAFKA,
            "metrics and quotas",
            "org/apache/kafka/common/metrics/",
            "org/apache/kafka/server/metrics/",
            "org/apache/kafka/server/quota/",
            "org/apache/kafka/network/metrics/",
            "org/apache/kafka/storage/log/metrics/",
            "com/yammer/metrics/",
            "kafka/server/ClientQuotaManager",
            "kafka/server/ClientRequestQuotaManager"),
    KAFKA_REPLICATION(
            Owner.KAFKA,
            "replication",
            "kafka/server/AbstractFetcherThread",
            "kafka/server/ReplicaFetcherThread",
            "org/apache/kafka/server/RemoteLeaderEndPoint",
            "kafka/server/RemoteLeaderEndPoint",
            "org/apache/kafka/clients/"),
    KAFKA_NETWORK(
            Owner.KAFKA,
            "network and parsing",
            "kafka/network/",
            "org/apache/kafka/network/",
            "org/apache/kafka/common/network/",
            "org/apache/kafka/common/requests/",
            "org/apache/kafka/common/message/",
            "org/apache/kafka/common/protocol/",
            "org/apache/kafka/common/memory/",
            "sun/nio/ch/"),
    KAFKA_HANDLING(Owner.KAFKA, "request handling", "kafka/", "org/apache/kafka/"),
    JIT(Owner.JVM, "compiler", "C2Compiler::", "Compiler::", "CompileBroker::"),
    OTHER(Owner.JVM, "other");

    enum Owner {
        KERNEL("kernel"),
        KAFKA("Kafka"),
        OURS("ours"),
        NETTY("Netty"),
        JVM("JVM");

        private final String label;

        Owner(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }

    /** They poll through the kernel, or yield. All kernel work below them is polling. */
    private static final Set<String> POLLING =
            Set.of("io/slipstream/proxy/session/AdaptivePoll", "io/slipstream/rdma/SpinPause");

    /** Prefixes of system-call names, by architecture. */
    private static final List<String> SYSTEM_CALLS = List.of("__x64_", "__arm64_", "__se_", "__do_");

    /** Package of the plugin's relocated libraries. */
    private static final String SHADED = "io/slipstream/shaded/";

    /** Called from everywhere, so the caller determines the category. */
    private static final List<String> NEUTRAL = List.of("org/apache/kafka/common/utils/", "kafka/utils/");

    private final Owner owner;
    private final String label;
    private final List<String> beginnings;

    Category(Owner owner, String label, String... beginnings) {
        this.owner = owner;
        this.label = label;
        this.beginnings = List.of(beginnings);
    }

    Owner owner() {
        return owner;
    }

    String label() {
        return label;
    }

    static Category of(StackSamples samples) {
        ThreadKind thread = ThreadKind.of(samples.thread());
        if (thread == ThreadKind.COMPILER) {
            return JIT;
        } else if (thread == ThreadKind.COLLECTOR) {
            return GC;
        } else if (samples.frames().stream().anyMatch(frame -> POLLING.contains(typeOf(frame)))) {
            return LOOKING;
        }
        for (int i = samples.frames().size() - 1; i >= 0; i--) {
            Category category = ofFrame(samples.frames().get(i));
            if (category != null) {
                return category;
            }
        }
        return OTHER;
    }

    private static String typeOf(String frame) {
        int dot = frame.indexOf('.');
        return dot < 0 ? frame : frame.substring(0, dot);
    }

    /** Returns null if the frame has no category. */
    private static Category ofFrame(String frame) {
        String name = frame.startsWith(SHADED) ? frame.substring(SHADED.length()) : frame;
        if (NEUTRAL.stream().anyMatch(name::startsWith)) {
            return null;
        }
        for (String prefix : SYSTEM_CALLS) {
            if (frame.startsWith(prefix + "sys_")) {
                name = frame.substring(prefix.length());
            }
        }
        for (Category category : values()) {
            for (String beginning : category.beginnings) {
                if (name.startsWith(beginning)) {
                    return category;
                }
            }
        }
        return null;
    }
}
