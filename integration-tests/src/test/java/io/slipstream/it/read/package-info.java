// SPDX-License-Identifier: Apache-2.0
/**
 * Stock consumers seek everywhere while logs are written, rolled, truncated, compacted and held back. Each delivered
 * byte is compared with the written one.
 */
package io.slipstream.it.read;
