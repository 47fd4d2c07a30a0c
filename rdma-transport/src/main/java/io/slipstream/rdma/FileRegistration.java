// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/**
 * The kinds of file mapping that a device can read remotely on one file system. The answer depends on kernel and file
 * system, so {@link RdmaDevice#probe} finds it by trying.
 *
 * @param readByReadOnlyMapping whether peers can read through a mapping that this process cannot write
 * @param readByWritableMapping whether peers can read through a writable mapping
 */
public record FileRegistration(boolean readByReadOnlyMapping, boolean readByWritableMapping) {
    public static final FileRegistration ALL = new FileRegistration(true, true);

    /** Whether files can be exposed for remote reading at all. */
    public boolean remoteRead() {
        return readByReadOnlyMapping || readByWritableMapping;
    }
}
