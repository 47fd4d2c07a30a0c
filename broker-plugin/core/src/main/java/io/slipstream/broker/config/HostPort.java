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

    /** Accepts the syntax of {@link #parse}, null and the empty string. */
    static final ConfigDef.Validator VALIDATOR = ConfigDef.LambdaValidator.with(
            (key, value) -> {
                try {
                    if (value != null && !"".equals(value)) {
                        parse((String) value);
                    }
                } catch (IllegalArgumentException e) {
                    throw new ConfigException(key, value, e.getMessage());
                }
            },
            () -> "HOST:PORT, or empty");

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
}
