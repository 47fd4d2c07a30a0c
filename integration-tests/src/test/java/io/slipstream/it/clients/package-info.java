// SPDX-License-Identifier: Apache-2.0
/** Unmodified clients of many languages, each through one shared proxy to one stock broker: what they sent arrives, and went by RDMA. */
package io.slipstream.it.clients;
