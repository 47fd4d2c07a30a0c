// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.slipstream.link.meter.DisconnectCause;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class UpstreamConnectionTest {
    private final List<DisconnectCause> causes = new ArrayList<>();
    private final EmbeddedChannel channel = new EmbeddedChannel();

    @BeforeEach
    void connect() {
        UpstreamConnection.Events events = new UpstreamConnection.Events() {
            @Override
            public void mark() {}

            @Override
            public void close(DisconnectCause cause, String detail) {
                causes.add(cause);
            }
        };
        channel.pipeline().addLast(new UpstreamConnection(channel, events, null));
    }

    @Test
    void shouldBlameTheBrokerForAConnectionThatFailed() {
        channel.pipeline().fireExceptionCaught(new IOException("reset"));

        assertThat(causes).containsExactly(DisconnectCause.UPSTREAM_ERROR);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void shouldBlameItselfForAnythingElse() {
        channel.pipeline().fireExceptionCaught(new IllegalStateException("of ours"));

        assertThat(causes).containsExactly(DisconnectCause.INTERNAL_ERROR);
    }
}
