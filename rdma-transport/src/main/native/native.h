// SPDX-License-Identifier: Apache-2.0
// Shared by all natives: names that the JVM looks up, handles, errors.
#ifndef SLIPSTREAM_NATIVE_H
#define SLIPSTREAM_NATIVE_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <jni.h>
#include <rdma/rdma_cma.h>
#include <stddef.h>
#include <stdint.h>

#define UNUSED __attribute__((unused))

// A native of DiSNI 2.1's NativeDispatcher. Its method names begin with an underscore, which JNI encodes as _1.
#define DISPATCHER(type, name, ...)                                                                \
    JNIEXPORT type JNICALL Java_com_ibm_disni_verbs_impl_NativeDispatcher__1##name(                \
        JNIEnv *env UNUSED, jobject self UNUSED __VA_OPT__(, ) __VA_ARGS__)

// A native of our own: a method of DisniVerbs, for calls that the dispatcher lacks.
#define EXTENSION(type, name, ...)                                                                 \
    JNIEXPORT type JNICALL Java_io_slipstream_rdma_verbs_jni_DisniVerbs_##name(                    \
        JNIEnv *env UNUSED, jobject self UNUSED __VA_OPT__(, ) __VA_ARGS__)

// Handles and addresses are passed as jlong.
static inline void *pointer(jlong handle) { return (void *)(intptr_t)handle; }
static inline jlong handle(const void *object) { return (jlong)(intptr_t)object; }

// Writes "EINVAL (Invalid argument)" to a buffer.
void describe_errno(int error, char *text, size_t size);

// Throws IOException "function: EINVAL (Invalid argument)", which is pending when the native returns.
void throw_errno(JNIEnv *env, const char *function, int error);

// Does so unless the error is 0.
static inline void throw_if(JNIEnv *env, const char *function, int error) {
    if (error) {
        throw_errno(env, function, error);
    }
}

void throw_illegal_argument(JNIEnv *env, const char *message);

// Translates results of librdmacm, which returns -1 and sets errno. Returns 0 or the errno.
static inline int cm_error(int result) { return result ? errno : 0; }

// Sets O_NONBLOCK (fcntl(2)). Returns 0 or the errno.
int make_non_blocking(int descriptor);

#endif
