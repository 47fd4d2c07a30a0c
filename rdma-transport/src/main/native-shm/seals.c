// SPDX-License-Identifier: Apache-2.0
// Natives of SealedFiles: memory files whose size can be fixed. Each returns its result or the negative errno.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <jni.h>
#include <sys/syscall.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))
#define NATIVE(type, name, ...)                                                                    \
    JNIEXPORT type JNICALL Java_io_slipstream_rdma_shm_SealedFiles_##name(                         \
        JNIEnv *env UNUSED, jclass type_ UNUSED __VA_OPT__(, ) __VA_ARGS__)

// From <linux/memfd.h> and <linux/fcntl.h>, which older C libraries do not expose.
enum { CLOSE_ON_EXEC = 1, ALLOW_SEALING = 2, ADD_SEALS = 1033, GET_SEALS = 1034 };

static jint result(long value) { return value < 0 ? -errno : (jint)value; }

NATIVE(jint, create) { return result(syscall(SYS_memfd_create, "slipstream", CLOSE_ON_EXEC | ALLOW_SEALING)); }

NATIVE(jint, addSeals, jint descriptor, jint seals) { return result(fcntl(descriptor, ADD_SEALS, seals)); }

NATIVE(jint, seals, jint descriptor) { return result(fcntl(descriptor, GET_SEALS)); }
