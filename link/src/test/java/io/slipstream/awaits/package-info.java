// SPDX-License-Identifier: Apache-2.0
/** How long tests wait between two looks. */
package io.slipstream.awaits;
