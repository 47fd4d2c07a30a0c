// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.profile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CategoryTest {
    private static Category of(String thread, String frames) {
        return Category.of(StackSamples.parse("[" + thread + " tid=7];" + frames + " 1"));
    }

    @ParameterizedTest
    @CsvSource({
        // The receiver of loopback traffic is woken inside the sender's system call.
        "SOCKET_WRITE, sendto;__x64_sys_sendto_[k];tcp_sendmsg_[k];kmem_cache_alloc_[k]",
        "SOCKET_WRITE, sendto;__arm64_sys_sendto_[k]",
        "SOCKET_WRITE, sun/nio/ch/SocketChannelImpl.write;__write;__x64_sys_write_[k];vfs_write_[k]",
        "WAIT, __x64_sys_sendto_[k];tcp_sendmsg_[k];tcp_v4_rcv_[k];sock_def_readable_[k];_raw_spin_unlock_irqrestore_[k]",
        "WAIT, __x64_sys_write_[k];vfs_write_[k];eventfd_write_[k];_raw_spin_unlock_irq_[k]",
        "FILE, __x64_sys_write_[k];vfs_write_[k];ext4_file_write_iter_[k];generic_perform_write_[k];copy_[k]",
        "FILE, __x64_sys_sendfile64_[k];filemap_splice_read_[k]",
        "SOCKET_WRITE, __x64_sys_sendfile64_[k];splice_to_socket_[k];tcp_sendmsg_[k]",
        "KERNEL_OTHER, kafka/server/KafkaApis.handle;asm_exc_page_fault_[k];clear_page_[k]",
        "KAFKA_LOG, kafka/server/KafkaApis.handle;org/apache/kafka/storage/internals/log/LogValidator.validate;java/util/zip/CRC32C.update",
        "KAFKA_METRICS, kafka/network/RequestChannel.send;com/yammer/metrics/core/Histogram.update;__vdso_clock_gettime",
        "KAFKA_NETWORK, kafka/network/Processor.run;org/apache/kafka/common/utils/SystemTime.nanoseconds;os::javaTimeNanos",
        "PURGATORY, kafka/server/ReplicaManager.fetch;org/apache/kafka/server/purgatory/DelayedOperation.complete",
        "RING, io/slipstream/broker/ring/RingThread.next;io/slipstream/broker/ring/RingLink.onCompletion;java/util/Map.get",
        "LOOKING, io/slipstream/broker/ring/RingThread.poll;os::javaTimeNanos",
        "READS, io/slipstream/link/LiveLink.on;io/slipstream/proxy/fetch/FetchPath.read",
        "TRANSPORT, io/slipstream/proxy/fetch/SlotReader.read;io/slipstream/rdma/shm/ShmQueuePair.post",
        "SESSION, io/netty/channel/Pipeline.fire;io/slipstream/proxy/session/ClientSession.channelRead",
        "NETTY, io/slipstream/proxy/session/ClientSession.flush;io/netty/buffer/PooledBuffer.release",
        "NETTY_LOOP, io/slipstream/broker/ring/RingThread.sleep;io/slipstream/shaded/io/netty/channel/epoll/EpollIoHandler.run",
        "RING, io/slipstream/broker/ring/RingLink.work;io/slipstream/shaded/org/agrona/collections/Int2ObjectHashMap.get",
        "OTHER, java/lang/Thread.run;java/util/HashMap.get"
    })
    void shouldTakeTheInnermostFrameThatTells(Category category, String frames) {
        assertThat(of("any", frames)).isEqualTo(category);
    }

    @Test
    void shouldCallItLookingWhateverTheKernelDoesForIt() {
        String poll = "io/slipstream/proxy/session/AdaptivePoll.calculateStrategy";
        assertThat(of("slipstream-loop-1-1", poll + ";epoll_wait;__x64_sys_epoll_wait_[k]"))
                .isEqualTo(Category.LOOKING);
        assertThat(of("any", "io/slipstream/rdma/SpinPause.pause;java/lang/Thread.yield;__schedule_[k]"))
                .isEqualTo(Category.LOOKING);
        assertThat(of("slipstream-loop-1-1", "io/netty/channel/epoll/EpollIoHandler.run;__x64_sys_epoll_wait_[k]"))
                .isEqualTo(Category.WAIT);
    }

    @Test
    void shouldTellCompilerAndCollectorByTheirThreads() {
        assertThat(of("C2 CompilerThre", "start_thread;__x64_sys_futex_[k]")).isEqualTo(Category.JIT);
        assertThat(of("G1 Conc#0", "start_thread;void OopOopIterate<X>")).isEqualTo(Category.GC);
        assertThat(of("any", "kafka/server/KafkaApis.handle;OptoRuntime::new_instance_C;Other::x"))
                .isEqualTo(Category.GC);
    }

    @ParameterizedTest
    @CsvSource({
        "data-plane-kafka-network-thread-1-ListenerName(PLAINTEXT)-PLAINTEXT-0, NETWORK",
        "data-plane-kafka-request-handler-3, HANDLER",
        "slipstream-request-handler-0, RING",
        "slipstream-loop-2-1, LOOP",
        "slipstream-shm-4-1, PLUGIN",
        "ReplicaFetcherThread-0-2, FETCHER",
        "VM Thread, COLLECTOR",
        "kafka-scheduler-1, OTHER"
    })
    void shouldTellThreadsByTheirNames(String name, ThreadKind kind) {
        assertThat(ThreadKind.of(name)).isEqualTo(kind);
    }
}
