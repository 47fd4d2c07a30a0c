// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/**
 * What a device can do with files of one file system; found by trying, never assumed (file systems and kernels differ).
 *
 * @param readByReadOnlyMapping remote reading through a mapping that this process cannot write
 * @param readByWritableMapping remote reading through a writable mapping
 * @param remoteWriteRefusal why files cannot be exposed for remote writing, in words that name the directory; null: they can
 */
public record FileRegistration(
        boolean readByReadOnlyMapping, boolean readByWritableMapping, String remoteWriteRefusal) {
    public static final FileRegistration ALL = new FileRegistration(true, true, null);

    /** Whether files can be exposed for remote reading at all. */
    public boolean remoteRead() {
        return readByReadOnlyMapping || readByWritableMapping;
    }

    /** Whether what peers write into files is sure to stay there ({@link ProtectionDomain#registerFileForWriting}). */
    public boolean remoteWrite() {
        return remoteWriteRefusal == null;
    }
}
