// SPDX-License-Identifier: Apache-2.0
package io.slipstream.cli;

import io.slipstream.doctor.DoctorCommand;
import io.slipstream.process.StartFailure;
import io.slipstream.quickstart.QuickstartCommand;
import io.slipstream.top.TopCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ScopeType;

/**
 * {@code java -jar slipstream-cli.jar COMMAND}. Exits with the status of the command: 1 if it fails, 2 for wrong usage.
 */
@Command(
        name = "slipstream",
        scope = ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        versionProvider = SlipstreamMain.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {QuickstartCommand.class, DoctorCommand.class, TopCommand.class, ConfigDocs.class},
        description = "Kafka over one-sided RDMA, for unmodified clients and unmodified brokers.")
public final class SlipstreamMain {
    private static final int FAILED = 1;

    private SlipstreamMain() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new SlipstreamMain())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler((exception, arguments) -> {
                    String name = exception.getCommandLine().getCommandSpec().qualifiedName();
                    System.err.println(name + ": " + exception.getMessage() + "\nSee " + name + " --help");
                    return CommandLine.ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((exception, command, result) -> {
                    String message = exception instanceof StartFailure ? exception.getMessage() : exception.toString();
                    System.err.println(command.getCommandSpec().qualifiedName() + ": " + message);
                    return FAILED;
                });
    }

    /** Supplies the text of {@code --version}. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = SlipstreamMain.class.getPackage().getImplementationVersion();
            return new String[] {"slipstream " + (version == null ? "dev" : version)};
        }
    }
}
