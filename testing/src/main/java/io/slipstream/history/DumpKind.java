// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** What a dump of a replica's log is taken of. */
public enum DumpKind {
    /** The log at the end of the run. */
    FINAL,
    /** The log that recovery made of an image taken in the middle of the run, as after a crash at that instant. */
    CRASH_IMAGE
}
