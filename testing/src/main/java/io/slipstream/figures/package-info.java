// SPDX-License-Identifier: Apache-2.0
/**
 * Recorded figures in the manuals. A program writes them into a block that names the commit they are of, and {@code
 * ./slipstream figures} says how far the main code is beyond it.
 */
package io.slipstream.figures;
