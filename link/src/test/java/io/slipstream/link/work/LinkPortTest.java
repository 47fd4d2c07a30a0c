// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.link.work.ScriptedQueuePair.Posted;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.PostStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinkPortTest {
    private final ScriptedQueuePair queuePair = new ScriptedQueuePair(2);
    private final LinkPort port = queuePair.port();
    private final List<String> completed = new ArrayList<>();

    private boolean read(String name) {
        return port.read((CompletionStatus status, int bytes) -> completed.add(name), 1, 0, 8, 0, 1);
    }

    @Test
    void shouldPassEachCompletionToItsOwnHandler() {
        assertThat(read("first")).isTrue();
        assertThat(read("second")).isTrue();
        assertThat(read("one too many")).isFalse();

        queuePair.complete(queuePair.posted.removeLast());
        queuePair.complete();
        assertThat(completed).containsExactly("second", "first");
    }

    @Test
    void shouldRefuseASecondCompletionOfARequestWhosePlaceIsTakenAgain() {
        read("first");
        ScriptedQueuePair.Posted first = queuePair.complete();
        read("second");

        assertThat(queuePair.complete(first)).isFalse();
        assertThat(completed).containsExactly("first");
        assertThat(port.outstanding()).isEqualTo(1);
    }

    @Test
    void shouldCallTheHandlerOnceForReadsInOrder() {
        assertThat(port.canReadInOrder()).isTrue();
        assertThat(readInOrder("list")).isTrue();

        assertThat(queuePair.posted).extracting(Posted::remoteAddress).containsExactly(100L, 200L, 300L);
        assertThat(port.outstanding()).isEqualTo(1);
        queuePair.complete(queuePair.posted.getLast());
        assertThat(completed).containsExactly("list");
        assertThat(port.outstanding()).isZero();
    }

    @Test
    void shouldNotReadInOrderBehindOtherRequests() {
        read("first");
        assertThat(port.canReadInOrder()).isFalse();

        queuePair.complete();
        assertThat(port.canReadInOrder()).isTrue();
    }

    private boolean readInOrder(String name) {
        for (int place = 0; place <= LinkPort.UNREPORTED; place++) {
            port.inOrder(place, 1, 0, 8, 100 + 100L * place, 1);
        }
        return port.readInOrder((CompletionStatus status, int bytes) -> completed.add(name));
    }

    @Test
    void shouldHaveNothingOutstandingAfterARefusedPost() {
        queuePair.status = PostStatus.NOT_CONNECTED;

        assertThat(read("refused")).isFalse();
        assertThat(port.outstanding()).isZero();
        assertThat(port.isClosed()).isTrue();
    }

    @Test
    void shouldStayOpenWhenTheSendQueueIsFull() {
        queuePair.status = PostStatus.QUEUE_FULL;

        assertThat(read("refused")).isFalse();
        assertThat(port.outstanding()).isZero();
        assertThat(port.isClosed()).isFalse();
    }
}
