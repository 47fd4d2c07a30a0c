// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

/** Version and revision of this build, from the jar's manifest; {@code dev} without a jar. */
final class BuildInfo {
    static final String VERSION = orDev(BuildInfo.class.getPackage().getImplementationVersion());
    static final String REVISION = orDev(BuildInfo.class.getPackage().getSpecificationVersion());

    private BuildInfo() {}

    private static String orDev(String given) {
        return given == null ? "dev" : given;
    }
}
