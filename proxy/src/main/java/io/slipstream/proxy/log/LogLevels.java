// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes of logger levels at run time, permanently or for a duration. Only existing loggers and Slipstream's own can
 * be changed, and only a bounded number. Thread-safe.
 */
public final class LogLevels {
    public static final String OWN = "io.slipstream";
    static final int MOST_SET = 64;
    /** Loggers live as long as the process. */
    static final int MOST_MADE = 256;

    private static final long LONGEST_SECONDS = TimeUnit.DAYS.toSeconds(1);
    private static final Set<String> LEVELS = Set.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF");
    private static final Pattern OWN_NAME = Pattern.compile("io\\.slipstream(\\.\\w{1,64}){0,8}");
    private static final Pattern DURATION = Pattern.compile("\\d{1,6}[smh]");
    private static final Logger log = LoggerFactory.getLogger(LogLevels.class);

    private final ScheduledExecutorService timers;
    private final LoggerContext context;
    /** The original levels of changed loggers; a null level is inherited. */
    private final Map<String, Before> changed = new HashMap<>();

    private int made;

    private record Before(Level level, ScheduledFuture<?> revert) {}

    /** @param timers executor that restores levels after their duration */
    public LogLevels(ScheduledExecutorService timers) {
        this.timers = timers;
        context = LoggerFactory.getILoggerFactory() instanceof LoggerContext logback ? logback : null;
    }

    /** The loggers with a level of their own, one per line. */
    public synchronized String describe() {
        StringBuilder lines = new StringBuilder();
        if (context != null) {
            context.getLoggerList().stream()
                    .filter(logger -> logger.getLevel() != null)
                    .forEach(logger -> lines.append(logger.getName())
                            .append(' ')
                            .append(logger.getLevel())
                            .append(isTemporary(logger.getName()) ? " (temporarily)" : "")
                            .append('\n'));
        }
        return lines.toString();
    }

    private boolean isTemporary(String logger) {
        Before before = changed.get(logger);
        return before != null && before.revert() != null;
    }

    /**
     * @param level a level of logback, in any case, or DEFAULT for the level at the start
     * @param duration such as 30s, 10m or 2h, after which the level at the start is restored; empty: until the next
     *     change
     * @throws IllegalArgumentException describing the error; nothing was changed
     */
    public synchronized void set(String logger, String level, String duration) {
        String wanted = level.toUpperCase(Locale.ROOT);
        boolean reset = wanted.equals("DEFAULT");
        if (context == null) {
            throw new IllegalArgumentException("the logging backend is not logback");
        } else if (!reset && !LEVELS.contains(wanted)) {
            throw new IllegalArgumentException("level is one of TRACE, DEBUG, INFO, WARN, ERROR, OFF, DEFAULT");
        } else if (context.exists(logger) == null && !OWN_NAME.matcher(logger).matches()) {
            throw new IllegalArgumentException("unknown logger; " + OWN + " is Slipstream's");
        } else if (!changed.containsKey(logger) && (changed.size() >= MOST_SET || made >= MOST_MADE)) {
            throw new IllegalArgumentException(MOST_SET + " loggers are set already; set some to DEFAULT");
        }
        long seconds = duration.isEmpty() ? 0 : seconds(duration);
        Before before = changed.remove(logger);
        if (before != null && before.revert() != null) {
            before.revert().cancel(false);
        }
        if (context.exists(logger) == null) {
            made++;
        }
        Level atStart = before == null ? context.getLogger(logger).getLevel() : before.level();
        context.getLogger(logger).setLevel(reset ? atStart : Level.valueOf(wanted));
        if (!reset) {
            ScheduledFuture<?> revert =
                    seconds == 0 ? null : timers.schedule(() -> revert(logger), seconds, TimeUnit.SECONDS);
            changed.put(logger, new Before(atStart, revert));
        }
        log.info("log level of {} is {}{}", logger, wanted, seconds == 0 ? "" : " for " + duration);
    }

    private synchronized void revert(String logger) {
        Before before = changed.get(logger);
        if (before != null && before.revert() != null) {
            changed.remove(logger);
            context.getLogger(logger).setLevel(before.level());
            log.info("log level of {} is restored", logger);
        }
    }

    private static long seconds(String duration) {
        if (DURATION.matcher(duration).matches()) {
            long seconds = Duration.parse("PT" + duration).toSeconds();
            if (seconds > 0 && seconds <= LONGEST_SECONDS) {
                return seconds;
            }
        }
        throw new IllegalArgumentException("for is a duration such as 30s, 10m or 2h, at most a day");
    }
}
