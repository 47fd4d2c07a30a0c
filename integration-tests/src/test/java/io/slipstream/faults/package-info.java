// SPDX-License-Identifier: Apache-2.0
/** Process faults by seed, and the parts of their execution that need no process. */
package io.slipstream.faults;
