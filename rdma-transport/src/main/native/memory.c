// SPDX-License-Identifier: Apache-2.0
// Extension: memory that can be registered.
#define _GNU_SOURCE
#include "native.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

EXTENSION(jlong, allocate, jlong length) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
    void *memory = mmap(NULL, (size_t)length, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED) {
        throw_errno(env, "mmap", errno);
        return 0;
    }
    // Copy-on-write after a fork could leave this process with other pages than those the adapter has pinned.
    if (madvise(memory, (size_t)length, MADV_DONTFORK)) {
        int error = errno;
        munmap(memory, (size_t)length);
        throw_errno(env, "madvise", error);
        return 0;
    }
    return handle(memory);
}

// The path is in the file system's encoding, without a terminator.
EXTENSION(jlong, map, jbyteArray path, jlong position, jlong length, jboolean writable) {
    jsize path_bytes = (*env)->GetArrayLength(env, path);
    char *name = malloc((size_t)path_bytes + 1);
    if (!name) {
        throw_errno(env, "malloc", ENOMEM);
        return 0;
    }
    (*env)->GetByteArrayRegion(env, path, 0, path_bytes, (jbyte *)name);
    name[path_bytes] = 0;

    void *memory = MAP_FAILED;
    int file = open(name, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (file < 0) {
        throw_errno(env, "open", errno);
    } else {
        int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
        memory = mmap(NULL, (size_t)length, protection, MAP_SHARED, file, position);
        if (memory == MAP_FAILED) {
            throw_errno(env, "mmap", errno);
        }
        close(file);
    }
    free(name);
    return memory == MAP_FAILED ? 0 : handle(memory);
}

EXTENSION(void, unmap, jlong address, jlong length) { munmap(pointer(address), (size_t)length); }

EXTENSION(jobject, bufferAt, jlong address, jint length) {
    if (length < 0) {
        throw_illegal_argument(env, "negative buffer length");
        return NULL;
    }
    return (*env)->NewDirectByteBuffer(env, pointer(address), length);
}
