// SPDX-License-Identifier: Apache-2.0
/** Native libraries as files: found in the jar, unpacked to a private directory, and deleted once they are loaded. */
package io.slipstream.rdma.library;
