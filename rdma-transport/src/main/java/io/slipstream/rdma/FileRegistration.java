package io.slipstream.rdma;

/**
 * What the kernel lets a device do with files of one file system; found by trying, never assumed (file systems and kernels differ).
 *
 * @param readByReadOnlyMapping remote reading through a mapping that this process cannot write
 * @param readByWritableMapping remote reading through a writable mapping
 * @param remoteWrite remote writing into the file
 */
public record FileRegistration(boolean readByReadOnlyMapping, boolean readByWritableMapping, boolean remoteWrite) {
    public static final FileRegistration ALL = new FileRegistration(true, true, true);

    /** Whether files can be exposed for remote reading at all. */
    public boolean remoteRead() {
        return readByReadOnlyMapping || readByWritableMapping;
    }
}
