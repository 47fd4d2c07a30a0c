// SPDX-License-Identifier: Apache-2.0
package io.slipstream.softroce;

/** The kernels that the machine can boot. They differ in what may be registered: 6.12 refuses to write to pages of a disk's files. */
enum GuestKernel {
    DEBIAN_6_1("6.1"),
    DEBIAN_6_12("6.12");

    private final String series;

    GuestKernel(String series) {
        this.series = series;
    }

    /** As {@code softroce/run --kernel} wants it. */
    String series() {
        return series;
    }

    @Override
    public String toString() {
        return "kernel " + series;
    }
}
