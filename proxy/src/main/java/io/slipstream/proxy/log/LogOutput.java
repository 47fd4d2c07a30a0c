// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets the log format from the configuration. Before that, and with another backend than logback, logback.xml or the
 * backend decides. With JSON each line is one object of logback's own encoder: timestamp (ms), level, threadName,
 * loggerName, formattedMessage, throwable.
 */
public final class LogOutput {
    private LogOutput() {}

    public static void configure(boolean json, String level) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.getLogger(LogLevels.OWN).setLevel(Level.valueOf(level));
            if (json) {
                writeJson(context);
            }
        }
    }

    private static void writeJson(LoggerContext context) {
        context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders().forEachRemaining(appender -> {
            if (appender instanceof OutputStreamAppender<ILoggingEvent> stream) {
                stream.setEncoder(json(context));
            }
        });
    }

    static Encoder<ILoggingEvent> json(LoggerContext context) {
        JsonEncoder encoder = new JsonEncoder();
        encoder.setContext(context);
        encoder.setWithSequenceNumber(false);
        encoder.setWithNanoseconds(false);
        encoder.setWithContext(false);
        encoder.setWithMarkers(false);
        encoder.setWithMDC(false);
        encoder.setWithKVPList(false);
        // The formatted message is included; the pattern and its arguments are not.
        encoder.setWithMessage(false);
        encoder.setWithArguments(false);
        encoder.setWithFormattedMessage(true);
        encoder.start();
        return encoder;
    }
}
