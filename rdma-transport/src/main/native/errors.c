// SPDX-License-Identifier: Apache-2.0
// Errors of the C libraries as Java exceptions.
#define _GNU_SOURCE
#include "native.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

// strerrorname_np needs glibc 2.32, which the machine that runs this library may not have.
static const char *name_of(int error) {
    switch (error) {
#define NAME(constant) case constant: return #constant
        NAME(EPERM); NAME(ENOENT); NAME(EINTR); NAME(EIO); NAME(ENXIO); NAME(E2BIG); NAME(EBADF); NAME(EAGAIN);
        NAME(ENOMEM); NAME(EACCES); NAME(EFAULT); NAME(EBUSY); NAME(EEXIST); NAME(ENODEV); NAME(ENOTDIR); NAME(EISDIR);
        NAME(EINVAL); NAME(ENFILE); NAME(EMFILE); NAME(ENOTTY); NAME(ETXTBSY); NAME(EFBIG); NAME(ENOSPC); NAME(EROFS);
        NAME(EPIPE); NAME(ERANGE); NAME(EDEADLK); NAME(ENAMETOOLONG); NAME(ENOSYS); NAME(ELOOP); NAME(ENODATA);
        NAME(ETIME); NAME(EPROTO); NAME(EBADMSG); NAME(EOVERFLOW); NAME(EDESTADDRREQ); NAME(EMSGSIZE);
        NAME(EPROTONOSUPPORT); NAME(EOPNOTSUPP); NAME(EAFNOSUPPORT); NAME(EADDRINUSE); NAME(EADDRNOTAVAIL);
        NAME(ENETDOWN); NAME(ENETUNREACH); NAME(ECONNABORTED); NAME(ECONNRESET); NAME(ENOBUFS); NAME(EISCONN);
        NAME(ENOTCONN); NAME(ETIMEDOUT); NAME(ECONNREFUSED); NAME(EHOSTDOWN); NAME(EHOSTUNREACH); NAME(EALREADY);
        NAME(EINPROGRESS); NAME(ESTALE); NAME(EDQUOT); NAME(ECANCELED);
#undef NAME
        default: return NULL;
    }
}

void describe_errno(int error, char *text, size_t size) {
    char buffer[128];
    const char *meaning = strerror_r(error, buffer, sizeof buffer);
    const char *name = name_of(error);
    if (name) {
        snprintf(text, size, "%s (%s)", name, meaning);
    } else {
        snprintf(text, size, "errno %d (%s)", error, meaning);
    }
}

static void throw_new(JNIEnv *env, const char *class_name, const char *message) {
    jclass type = (*env)->FindClass(env, class_name);
    if (type) {
        (*env)->ThrowNew(env, type, message);
        (*env)->DeleteLocalRef(env, type);
    }
}

void throw_errno(JNIEnv *env, const char *function, int error) {
    char cause[192], message[256];
    describe_errno(error, cause, sizeof cause);
    snprintf(message, sizeof message, "%s: %s", function, cause);
    throw_new(env, "java/io/IOException", message);
}

void throw_illegal_argument(JNIEnv *env, const char *message) {
    throw_new(env, "java/lang/IllegalArgumentException", message);
}

int make_non_blocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0) {
        return errno;
    }
    return (flags & O_NONBLOCK) || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 ? 0 : errno;
}

EXTENSION(jstring, errorText, jint error) {
    char text[192];
    describe_errno(error, text, sizeof text);
    return (*env)->NewStringUTF(env, text);
}
