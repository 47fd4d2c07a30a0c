package io.slipstream.quickstart;

import io.slipstream.harness.OrphanGuard;
import io.slipstream.harness.Ports;
import io.slipstream.harness.StartFailure;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./slipstream quickstart}: its options, and when it ends with which status. */
@Command(name = "quickstart")
public final class QuickstartMain implements Callable<Integer> {
    private static final int FAILED = 1;

    @Option(names = "--once")
    private boolean once;

    @Option(names = "--secure")
    private boolean secure;

    @Option(names = "--records")
    private long records = 100_000;

    @Option(names = "--json")
    private Path json;

    @Option(names = "--ready-file")
    private Path readyFile;

    @Option(names = "--port")
    private int port = 9092;

    @Option(names = "--provider")
    private ProviderChoice provider = ProviderChoice.AUTO;

    @Option(names = "--seed")
    private long seed = 1;

    public static void main(String[] args) {
        CommandLine commandLine = new CommandLine(new QuickstartMain())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((exception, arguments) -> usage(exception.getMessage()))
                .setExecutionExceptionHandler((exception, command, result) -> {
                    System.err.println("slipstream quickstart: "
                            + (exception instanceof StartFailure ? exception.getMessage() : exception.toString()));
                    return FAILED;
                });
        System.exit(commandLine.execute(args));
    }

    @Override
    public Integer call() throws Exception {
        if (records < 1 || records > Integer.MAX_VALUE) {
            return usage("--records must be between 1 and " + Integer.MAX_VALUE);
        }
        if (port < 2 || port + Stage.PORTS > 65_535) {
            return usage("--port must be between 2 and " + (65_535 - Stage.PORTS));
        }
        if (provider == ProviderChoice.VERBS) {
            String obstacle = provider.obstacle();
            if (obstacle != null) {
                System.err.println("slipstream quickstart: " + obstacle);
                return CommandLine.ExitCode.USAGE;
            }
        }
        for (int wanted = port; wanted < port + Stage.PORTS; wanted++) {
            if (!Ports.isFree(wanted)) {
                System.err.println("slipstream quickstart: port " + wanted
                        + " of 127.0.0.1 is in use; choose others with --port N (N and N+1 must be free)");
                return FAILED;
            }
        }
        try (Stage stage = new Stage(port, provider, secure, System.out)) {
            OrphanGuard.instance().stopFirst(stage::close);
            stage.start();
            boolean asItShouldBe = stage.demonstrate(records, seed, json);
            if (readyFile != null) {
                stage.writeReadyFile(readyFile);
            }
            if (!once) {
                stage.printInvitation();
                // Until a signal: the guard's hook then closes the stage.
                new CountDownLatch(1).await();
            }
            return asItShouldBe ? 0 : FAILED;
        }
    }

    private static int usage(String message) {
        System.err.println("slipstream quickstart: " + message + "\nSee ./slipstream quickstart --help");
        return CommandLine.ExitCode.USAGE;
    }
}
