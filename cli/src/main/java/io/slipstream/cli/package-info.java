// SPDX-License-Identifier: Apache-2.0
/**
 * The command line of Slipstream: one runnable jar that needs neither a checkout nor Maven. {@link
 * io.slipstream.cli.SlipstreamMain} runs {@code quickstart}, {@code doctor}, {@code top} or {@code config-docs}. Each
 * command except {@code config-docs} has its own package.
 */
package io.slipstream.cli;
