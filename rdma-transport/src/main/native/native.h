// SPDX-License-Identifier: Apache-2.0
// What all natives share: names that the JVM looks up, handles, errors.
#ifndef SLIPSTREAM_NATIVE_H
#define SLIPSTREAM_NATIVE_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <jni.h>
#include <rdma/rdma_cma.h>
#include <stddef.h>
#include <stdint.h>

#define UNUSED __attribute__((unused))

// The natives of DiSNI 2.1's NativeDispatcher; its methods' names begin with an underscore, which JNI writes as _1.
#define DISPATCHER(type, name, ...)                                                                \
    JNIEXPORT type JNICALL Java_com_ibm_disni_verbs_impl_NativeDispatcher__1##name(                \
        JNIEnv *env UNUSED, jobject self UNUSED __VA_OPT__(, ) __VA_ARGS__)

// Ours, for what the dispatcher lacks: static methods of VerbsExtension.
#define EXTENSION(type, name, ...)                                                                 \
    JNIEXPORT type JNICALL Java_io_slipstream_rdma_verbs_jni_VerbsExtension_##name(                \
        JNIEnv *env UNUSED, jclass type_ UNUSED __VA_OPT__(, ) __VA_ARGS__)

// Handles and addresses travel as jlong.
static inline void *pointer(jlong handle) { return (void *)(intptr_t)handle; }
static inline jlong handle(const void *object) { return (jlong)(intptr_t)object; }

// "EINVAL (Invalid argument)" into a buffer.
void describe_errno(int error, char *text, size_t size);

// Throws IOException "function: EINVAL (Invalid argument)"; it is pending when the native returns.
void throw_errno(JNIEnv *env, const char *function, int error);

void throw_illegal_argument(JNIEnv *env, const char *message);

// Calls of librdmacm return -1 and set errno: 0, or the errno.
static inline int cm_error(int result) { return result ? errno : 0; }

// Makes reads of a descriptor return at once; 0, or the errno.
int make_non_blocking(int descriptor);

#endif
