// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reports how the kernel version affects registration of file memory. */
final class KernelCheck implements Check {
    private static final String SUBJECT = "kernel";
    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");

    private final String system;
    private final String release;

    KernelCheck(String system, String release) {
        this.system = system;
        this.release = release;
    }

    @Override
    public List<Finding> examine() {
        Matcher version = VERSION.matcher(release);
        if (!system.equals("Linux")) {
            return List.of(
                    Finding.fail(SUBJECT, system + " " + release, "RDMA between brokers and proxies needs Linux"));
        }
        if (!version.matches()) {
            return List.of(Finding.warn(SUBJECT, "Linux " + release, "unknown version; use 4.14 or newer"));
        }
        int number = Integer.parseInt(version.group(1)) * 1000 + Integer.parseInt(version.group(2));
        if (number < 4014) {
            return List.of(Finding.fail(SUBJECT, "Linux " + release, "use 4.14 or newer"));
        }
        String files = number >= 6005
                ? "refuses writable registration of disk files; log segments are registered read-only"
                : "may lose dirty pages of files registered writable; log segments are registered read-only";
        return List.of(Finding.ok(SUBJECT, "Linux " + release + "; " + files));
    }
}
