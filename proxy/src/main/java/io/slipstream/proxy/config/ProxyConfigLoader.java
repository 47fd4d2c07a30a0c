// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.config;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigException;

/**
 * Collects settings from a properties file, the environment and the command line; later sources win. The environment
 * variable of a key is {@code SLIPSTREAM_} and the key in capitals with underscores: {@code listen.port} is
 * {@code SLIPSTREAM_LISTEN_PORT}. Other variables that start with {@code SLIPSTREAM_} are refused like unknown keys,
 * except those in {@link #FOREIGN}.
 */
public final class ProxyConfigLoader {
    static final String PREFIX = "SLIPSTREAM_";

    /** Variables of the launcher, which are not keys of the proxy. */
    private static final java.util.Set<String> FOREIGN = java.util.Set.of("SLIPSTREAM_HOME", "SLIPSTREAM_JAVA_OPTS");

    private ProxyConfigLoader() {}

    /**
     * @param file properties file, or null
     * @param environment variables; only those with the prefix are read
     * @param commandLine settings that win over all others
     */
    public static ProxyConfig load(Path file, Map<String, String> environment, Map<String, String> commandLine) {
        Map<String, String> settings = new HashMap<>();
        Map<String, String> origins = new HashMap<>();
        if (file != null) {
            add(read(file), file.toString(), settings, origins);
        }
        add(fromEnvironment(environment), "environment", settings, origins);
        add(commandLine, "--set", settings, origins);
        return ProxyConfig.of(settings, origins);
    }

    private static void add(
            Map<String, String> more, String origin, Map<String, String> settings, Map<String, String> origins) {
        settings.putAll(more);
        more.keySet().forEach(key -> origins.put(key, origin));
    }

    private static Map<String, String> read(Path file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new ConfigException("Cannot read configuration file " + file + ": " + e);
        }
        Map<String, String> settings = new HashMap<>();
        for (String key : properties.stringPropertyNames()) {
            settings.put(key, properties.getProperty(key).trim());
        }
        return settings;
    }

    private static Map<String, String> fromEnvironment(Map<String, String> environment) {
        Map<String, String> keyOfVariable = ProxyConfig.keys().stream()
                .collect(Collectors.toMap(ProxyConfigLoader::variableOf, key -> key, (one, other) -> one));
        // This key already contains the prefix.
        keyOfVariable.put("SLIPSTREAM_DIRECTORY", ProxyKeys.DIRECTORY);
        Map<String, String> settings = new HashMap<>();
        environment.forEach((variable, value) -> {
            if (variable.startsWith(PREFIX) && !FOREIGN.contains(variable)) {
                String key = keyOfVariable.get(variable);
                if (key == null) {
                    throw new ConfigException("Unknown environment variable " + variable + "; did you mean "
                            + String.join(", ", UnknownKeys.near(variable, keyOfVariable.keySet())) + "?");
                }
                settings.put(key, value);
            }
        });
        return settings;
    }

    static String variableOf(String key) {
        return PREFIX + key.toUpperCase(Locale.ROOT).replace('.', '_');
    }
}
