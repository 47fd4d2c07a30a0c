// SPDX-License-Identifier: Apache-2.0
/** Broker functions for producers besides appending, compared with and without the proxy. */
package io.slipstream.it.produce;
