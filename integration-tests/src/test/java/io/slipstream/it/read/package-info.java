// SPDX-License-Identifier: Apache-2.0
/** Stock consumers that seek everywhere while logs are written, rolled, cut, compacted and held back: each delivered byte is compared with what was written. */
package io.slipstream.it.read;
