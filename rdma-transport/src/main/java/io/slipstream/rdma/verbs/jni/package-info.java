// SPDX-License-Identifier: Apache-2.0
/**
 * The native methods, DiSNI's and ours. Instantiated only through {@link io.slipstream.rdma.verbs.NativeLibrary}, in a class loader that
 * knows where the library is; never name these classes elsewhere.
 */
package io.slipstream.rdma.verbs.jni;
