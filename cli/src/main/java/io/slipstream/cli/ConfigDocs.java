// SPDX-License-Identifier: Apache-2.0
package io.slipstream.cli;

import io.slipstream.cli.KeyReference.Format;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code config-docs}: prints every configuration key of the proxy or of the plugin. */
@Command(
        name = "config-docs",
        description = {
            "Prints every configuration key of the proxy (the default) or of the broker plugin, with its default, values and"
                    + " meaning."
        })
final class ConfigDocs implements Callable<Integer> {
    private enum Part {
        PROXY,
        BROKER
    }

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "markdown",
            description = "markdown (default), properties (a template file) or json.")
    private Format format;

    @Parameters(arity = "0..1", paramLabel = "PART", defaultValue = "proxy", description = "proxy (default) or broker.")
    private Part part;

    @Override
    public Integer call() {
        System.out.print(part == Part.PROXY ? ConfigReference.ofProxy(format) : ConfigReference.ofPlugin(format));
        return 0;
    }
}
