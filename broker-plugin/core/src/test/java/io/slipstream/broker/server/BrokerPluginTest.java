// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.slipstream.broker.hook.HookInstaller;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class BrokerPluginTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(BrokerPlugin.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final CountedHooks hooks = new CountedHooks();
    private final EchoLine line = new EchoLine(1);
    private final BrokerPlugin plugin = new BrokerPlugin(line, hooks);

    @TempDir
    private Path directory;

    /** Counts the plugin's calls to its hooks. */
    private static final class CountedHooks extends HookInstaller {
        private volatile int woven;
        private volatile int removed;

        CountedHooks() {
            super(List.of());
        }

        @Override
        public String verify() {
            return null;
        }

        @Override
        public synchronized String weave() {
            woven = woven + 1;
            return null;
        }

        @Override
        public synchronized String remove() {
            removed = removed + 1;
            return null;
        }
    }

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(logged);
    }

    private List<String> lines(Level level) {
        return logged.list.stream()
                .filter(event -> event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private Map<String, Object> broker(String... settings) {
        Map<String, Object> originals = new HashMap<>();
        originals.put("slipstream.provider", "shm");
        originals.put("slipstream.directory", directory.resolve("sockets").toString());
        for (int i = 0; i < settings.length; i += 2) {
            originals.put(settings[i], settings[i + 1]);
        }
        return originals;
    }

    @Test
    void shouldWarnOfEachRetiredKeyAndServe() {
        Map<String, Object> broker = broker("slipstream.landing", "shared", "slipstream.landing.release.ms", "100");

        plugin.onStarted(broker);
        plugin.onStopping(broker);

        assertThat(lines(Level.ERROR)).isEmpty();
        assertThat(lines(Level.WARN))
                .hasSize(2)
                .allMatch(line -> line.contains("is ignored") && line.contains("next release refuses"))
                .anyMatch(line -> line.startsWith("slipstream.landing "))
                .anyMatch(line -> line.startsWith("slipstream.landing.release.ms "));
        assertThat(hooks.woven).isEqualTo(1);
        assertThat(hooks.removed).isZero();
    }

    /** The plugin follows its settings in the background. */
    private void awaitServing(int times) {
        await().atMost(Duration.ofSeconds(30)).until(() -> hooks.woven == times && hasSockets());
    }

    private boolean hasSockets() {
        String[] names = directory.resolve("sockets").toFile().list();
        return names != null && names.length > 0;
    }

    @Test
    void shouldFollowTheSwitchWhileTheBrokerRuns() {
        Map<String, Object> broker = broker("slipstream.enabled", "false");
        plugin.onStarted(broker);
        assertThat(hasSockets()).isFalse();

        line.alter.accept(broker("slipstream.enabled", "true"));
        awaitServing(1);

        line.alter.accept(broker("slipstream.enabled", "false"));
        await().atMost(Duration.ofSeconds(30)).until(() -> hooks.removed == 2);
        assertThat(hasSockets()).isFalse();

        line.alter.accept(broker());
        awaitServing(2);
        plugin.onStopping(broker);
        assertThat(hasSockets()).isFalse();
        assertThat(line.alter).isNull();
        assertThat(lines(Level.ERROR)).isEmpty();
    }

    @Test
    void shouldServeByAlteredKeysAndRefuseWrongOnes() {
        Map<String, Object> broker = broker("listeners", "PLAINTEXT://:0,CLIENTS://:1");
        plugin.onStarted(broker);

        broker.put("slipstream.listeners.excluded", "clients");
        line.alter.accept(Map.copyOf(broker));
        awaitServing(2);

        broker.put("slipstream.listeners.excluded", "CLIENT");
        assertThatThrownBy(() -> line.alter.accept(broker)).hasMessageContaining("no listener CLIENT");
        line.alter.accept(
                broker("listeners", "PLAINTEXT://:0,CLIENTS://:1", "slipstream.listeners.excluded", "CLIENTS"));
        plugin.onStopping(broker);
        assertThat(hooks.woven).as("nothing was new").isEqualTo(2);
    }

    @Test
    @Timeout(30)
    void shouldNotLetTheBrokersShutdownWaitForAHandler() {
        CountDownLatch handled = new CountDownLatch(1);
        line.beforeStop = () -> assertThatCode(handled::await).doesNotThrowAnyException();
        Map<String, Object> broker = broker();
        plugin.onStarted(broker);

        plugin.onStopping(broker);
        plugin.onStopping(broker);

        assertThat(lines(Level.WARN)).singleElement().asString().contains("has not stopped within 1000 ms");
        handled.countDown();
    }

    @Test
    void shouldRemoveItsHooksIfSwitchedOff() {
        plugin.onStarted(broker("slipstream.enabled", "false", "slipstream.landing", "segment"));

        assertThat(hooks.removed).isEqualTo(1);
        assertThat(hooks.woven).isZero();
        assertThat(lines(Level.ERROR)).isEmpty();
        assertThat(lines(Level.WARN)).hasSize(1);
    }

    @Test
    void shouldRemoveItsHooksIfInert() {
        plugin.onStarted(broker("slipstream.landings", "segment"));

        assertThat(hooks.removed).isEqualTo(1);
        assertThat(hooks.woven).isZero();
        assertThat(lines(Level.ERROR)).singleElement().asString().contains("slipstream.landings");
    }
}
