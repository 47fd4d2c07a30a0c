// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

/** Version and revision of this build, from the jar's manifest; {@code dev} without a jar. */
final class BuildInfo {
    private static final String UNKNOWN = "dev";

    private BuildInfo() {}

    static String version() {
        String version = BuildInfo.class.getPackage().getImplementationVersion();
        return version == null ? UNKNOWN : version;
    }

    static String revision() {
        String vendor = BuildInfo.class.getPackage().getSpecificationVersion();
        return vendor == null ? UNKNOWN : vendor;
    }
}
