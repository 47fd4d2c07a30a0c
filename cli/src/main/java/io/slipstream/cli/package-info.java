/**
 * The command line of Slipstream: one runnable jar, which needs neither a checkout nor Maven. {@link
 * io.slipstream.cli.SlipstreamMain} runs {@code quickstart}, {@code doctor}, {@code top} or {@code config-docs}; each
 * has a package of its own, except the last.
 */
package io.slipstream.cli;
