// SPDX-License-Identifier: Apache-2.0
/**
 * The native methods of DiSNI and our own. Only {@link io.slipstream.rdma.verbs.NativeLibrary} instantiates these
 * classes, in a class loader that knows where the library is. Never name them elsewhere.
 */
package io.slipstream.rdma.verbs.jni;
