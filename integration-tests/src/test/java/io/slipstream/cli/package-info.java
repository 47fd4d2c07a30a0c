// SPDX-License-Identifier: Apache-2.0
/** The released jar of the command line, in its own process and outside any checkout. */
package io.slipstream.cli;
