// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.config.SslConfigs;

/** The key store and trust store files of one end. The files may be replaced at any time. Immutable. */
final class StoreFiles {
    private final Map<String, Path> files = new LinkedHashMap<>();

    StoreFiles(TlsDefinition keys, Map<String, ?> values) {
        add(keys, values, SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG);
        add(keys, values, SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG);
    }

    private void add(TlsDefinition keys, Map<String, ?> values, String kafkasName) {
        Object location = values.get(kafkasName);
        if (location != null) {
            files.put(keys.key(kafkasName), Path.of(location.toString()));
        }
    }

    /** Two stamps are equal as long as no file was replaced, written, removed or added. */
    String stamp() {
        StringBuilder stamp = new StringBuilder();
        files.values().forEach(file -> stamp.append(stampOf(file)).append(';'));
        return stamp.toString();
    }

    /** Inode, size and time. The inode detects a replacement within the same second. */
    private static String stampOf(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return attributes.fileKey() + " " + attributes.size() + " " + attributes.lastModifiedTime();
        } catch (IOException absent) {
            return "absent";
        }
    }

    /** The configuration key of the file that the failure names, or null. */
    String keyNamedIn(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            for (Map.Entry<String, Path> file : files.entrySet()) {
                if (String.valueOf(cause.getMessage()).contains(file.getValue().toString())) {
                    return file.getKey();
                }
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return files.toString();
    }
}
