package io.slipstream.proxy;

import io.slipstream.protocol.config.KeyReference.Format;
import io.slipstream.proxy.config.ConfigReference;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code config-docs}: prints every key of the proxy. */
@Command(
        name = "config-docs",
        mixinStandardHelpOptions = true,
        description = "Prints every key of the proxy with its default, its values and what it means.")
final class ConfigDocs implements Callable<Integer> {
    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "markdown",
            description = "markdown (default), properties (a file to start from), or json.")
    private Format format;

    @Override
    public Integer call() {
        System.out.print(ConfigReference.as(format));
        return 0;
    }
}
