// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/**
 * An address to listen on, written {@code HOST:PORT} or {@code [IPV6]:PORT}.
 *
 * @param host a name or address, without brackets
 * @param port 0: any free one
 */
public record HostPort(String host, int port) {
    private static final int MAX_PORT = 65_535;
    private static final Pattern SYNTAX = Pattern.compile("(?:\\[([0-9a-fA-F:.%\\w]+)\\]|([^\\s\\[\\]:]+)):(\\d{1,5})");

    /** Parses the address. Throws IllegalArgumentException with the reason. */
    public static HostPort parse(String text) {
        Matcher matcher = SYNTAX.matcher(text.trim());
        if (!matcher.matches() || Integer.parseInt(matcher.group(3)) > MAX_PORT) {
            throw new IllegalArgumentException("must be HOST:PORT, with an IPv6 address in brackets");
        }
        String host = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
        return new HostPort(host, Integer.parseInt(matcher.group(3)));
    }

    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }

    /** Accepts the syntax of {@link #parse}, null and the empty string. */
    record Validator() implements ConfigDef.Validator {
        @Override
        public void ensureValid(String name, Object value) {
            if (value == null || ((String) value).isEmpty()) {
                return;
            }
            try {
                HostPort.parse((String) value);
            } catch (IllegalArgumentException e) {
                throw new ConfigException(name, value, e.getMessage());
            }
        }

        @Override
        public String toString() {
            return "HOST:PORT, or empty";
        }
    }
}
