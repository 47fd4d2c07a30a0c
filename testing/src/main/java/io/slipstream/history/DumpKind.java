// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** The subject of a log dump. */
public enum DumpKind {
    /** The log at the end of the run. */
    FINAL,
    /** The log recovered from an image taken during the run, as after a crash at that time. */
    CRASH_IMAGE
}
