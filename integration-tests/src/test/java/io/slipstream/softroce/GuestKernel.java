// SPDX-License-Identifier: Apache-2.0
package io.slipstream.softroce;

/**
 * The kernels that the machine can boot. They differ in file registration: 6.12 refuses writable registration of disk
 * files.
 */
enum GuestKernel {
    DEBIAN_6_1("6.1"),
    DEBIAN_6_12("6.12");

    private final String series;

    GuestKernel(String series) {
        this.series = series;
    }

    /** Returns the value for {@code softroce/run --kernel}. */
    String series() {
        return series;
    }

    @Override
    public String toString() {
        return "kernel " + series;
    }
}
