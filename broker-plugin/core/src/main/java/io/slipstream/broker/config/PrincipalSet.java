// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.config;

import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/**
 * Parses a list of principals. Semicolons separate them, as in the broker's {@code super.users}, because names may
 * contain commas.
 */
final class PrincipalSet {
    private PrincipalSet() {}

    static Set<String> parse(String text) {
        Set<String> principals = new HashSet<>();
        for (String part : text.split(";")) {
            String principal = part.strip();
            if (!principal.isEmpty()) {
                principals.add(principal);
            }
        }
        return principals;
    }

    /** Requires a type and a name for each principal. */
    static final class Validator implements ConfigDef.Validator {
        @Override
        public void ensureValid(String name, Object value) {
            for (String principal : parse((String) value)) {
                int colon = principal.indexOf(':');
                if (colon <= 0 || colon == principal.length() - 1) {
                    throw new ConfigException(
                            name, principal, "must be TYPE:NAME, such as User:alice; several are separated by ;");
                }
            }
        }

        @Override
        public String toString() {
            return "TYPE:NAME;TYPE:NAME;…";
        }
    }
}
