// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.rdma.FileRegistration;
import io.slipstream.rdma.RdmaDevice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The broker's log directories, and which of them the device can read. The kernel and the file system decide that, so
 * the plugin tries each directory when it starts. Immutable.
 */
public final class LogDirectories {
    /** The device can read every directory. */
    public static final LogDirectories READABLE = new LogDirectories(Map.of());

    private static final Logger log = LoggerFactory.getLogger(LogDirectories.class);

    private final Map<Path, String> unreadable;

    private LogDirectories(Map<Path, String> unreadable) {
        this.unreadable = Map.copyOf(unreadable);
    }

    /** Tries each directory with a temporary file and logs the outcome. Blocks; never throws. */
    public static LogDirectories probe(RdmaDevice device, List<Path> logDirs) {
        Map<Path, String> unreadable = new HashMap<>();
        for (Path given : logDirs) {
            Path directory = given.toAbsolutePath().normalize();
            String reason;
            try {
                reason = unreadableReason(device, directory, device.probe(directory));
            } catch (IOException | RuntimeException e) {
                reason = "the registration of its files could not be tested: " + e.getMessage();
            }
            if (reason != null) {
                unreadable.put(directory, reason);
                log.warn("Consumers of partitions in {} are served over TCP: {}", directory, reason);
            }
        }
        return new LogDirectories(unreadable);
    }

    private static String unreadableReason(RdmaDevice device, Path directory, FileRegistration found) {
        if (!found.remoteRead()) {
            return "this kernel refuses to register files of its file system with the " + device.provider() + " device";
        }
        log.info(
                "Files in {} can be registered for remote reading, {}",
                directory,
                found.readByReadOnlyMapping() ? "through read-only mappings" : "through writable mappings only");
        return null;
    }

    /** Returns the reason why the device cannot read segments in that file's log directory; null if it can. */
    String unreadableReason(Path segmentFile) {
        if (unreadable.isEmpty()) {
            return null;
        }
        // LOG_DIR/TOPIC-PARTITION/BASE_OFFSET.log
        Path file = segmentFile.toAbsolutePath().normalize();
        Path logDir = file.getNameCount() > 2 ? file.getParent().getParent() : null;
        return logDir == null ? null : unreadable.get(logDir);
    }
}
