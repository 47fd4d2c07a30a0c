// SPDX-License-Identifier: Apache-2.0
/** Consumers of compacted topics while the log cleaner runs. */
package io.slipstream.it.compaction;
