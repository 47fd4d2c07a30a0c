// SPDX-License-Identifier: Apache-2.0
/** The command line's jar as a user has it: in a process of its own, away from any checkout. */
package io.slipstream.cli;
