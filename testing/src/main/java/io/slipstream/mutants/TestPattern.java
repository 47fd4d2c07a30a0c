// SPDX-License-Identifier: Apache-2.0
package io.slipstream.mutants;

import java.util.regex.Pattern;

/**
 * Names test classes of a module, as in {@code proxy/io.slipstream.proxy.fetch.*}. A star is any part of a name. A name
 * without a star may also be that of a class in another module's tests, which run on this module's class path.
 *
 * @param module the module's directory
 */
record TestPattern(String module, String classes) {
    static TestPattern of(String text) throws BadPatchException {
        int slash = text.lastIndexOf('/');
        if (slash < 0) {
            throw new BadPatchException("a test is named as module/class, not as " + text);
        }
        return new TestPattern(text.substring(0, slash), text.substring(slash + 1));
    }

    boolean isOneClass() {
        return classes.indexOf('*') < 0;
    }

    boolean matches(String className) {
        return Pattern.matches(("\\Q" + classes + "\\E").replace("*", "\\E.*\\Q"), className);
    }
}
