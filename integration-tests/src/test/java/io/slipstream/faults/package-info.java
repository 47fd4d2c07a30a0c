// SPDX-License-Identifier: Apache-2.0
/** Process faults by seed. */
package io.slipstream.faults;
