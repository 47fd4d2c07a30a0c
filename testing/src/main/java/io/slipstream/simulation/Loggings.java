// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/** Logging of proxy and plugin in a world: prints nothing, and treats an error as a violation. */
final class Loggings {
    private static World world;
    private static boolean installed;

    private Loggings() {}

    static void listen(World listening) {
        world = listening;
    }

    /** Call once per JVM. */
    static void install() {
        if (installed) {
            return;
        }
        installed = true;
        for (String name : new String[] {
            "io.slipstream.proxy", "io.slipstream.link", "io.slipstream.broker", "io.slipstream.replication", "io.netty"
        }) {
            Logger logger = (Logger) LoggerFactory.getLogger(name);
            logger.setLevel(name.startsWith("io.netty") ? Level.WARN : Level.ERROR);
            logger.setAdditive(false);
            Errors errors = new Errors();
            errors.setContext(logger.getLoggerContext());
            errors.start();
            logger.addAppender(errors);
        }
    }

    private static final class Errors extends AppenderBase<ILoggingEvent> {
        @Override
        protected void append(ILoggingEvent event) {
            World now = world;
            if (now != null && VirtualTime.world() == now) {
                String thrown = event.getThrowableProxy() == null
                        ? ""
                        : ": " + event.getThrowableProxy().getClassName() + " "
                                + event.getThrowableProxy().getMessage();
                now.violate("log", event.getLoggerName() + " logs an error: " + event.getFormattedMessage() + thrown);
            }
        }
    }
}
