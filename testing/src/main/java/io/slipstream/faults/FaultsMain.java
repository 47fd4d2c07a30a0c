// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.FaultClass;
import io.slipstream.figures.Recording;
import io.slipstream.process.Checkout;
import io.slipstream.process.StartFailure;
import io.slipstream.simulation.SimulationMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./slipstream faults}: options and exit status. */
@Command(name = "faults")
public final class FaultsMain implements Callable<Integer> {
    /** As in sysexits.h: the command was used incorrectly. */
    static final int USAGE = 64;

    private static final int FAILED = 1;
    private static final int DEFAULT_MINUTES = 10;
    private static final int MOST_MINUTES = 7 * 24 * 60;

    @Option(names = "--minutes")
    private Integer minutes;

    @Option(names = "--seeds")
    private Long seeds;

    @Option(names = "--arm")
    private ArmChoice arm = ArmChoice.ALL;

    @Option(names = "--simulate")
    private boolean simulate;

    @Option(names = "--replay")
    private Long replay;

    @Option(names = "--brokers")
    private Integer brokers;

    @Option(names = "--classes", split = ",")
    private Set<String> classes;

    @Option(names = "--json")
    private Path json;

    @Option(names = "--record")
    private Path record;

    @Spec
    private CommandSpec command;

    @Option(names = "--planted")
    private String planted;

    @Mixin
    private CrashOptions crash = new CrashOptions();

    enum ArmChoice {
        DIRECT(EnumSet.of(Arm.DIRECT)),
        TCP(EnumSet.of(Arm.TCP)),
        RDMA(EnumSet.of(Arm.RDMA)),
        ALL(EnumSet.allOf(Arm.class));

        private final Set<Arm> arms;

        ArmChoice(Set<Arm> arms) {
            this.arms = arms;
        }

        /** Empty for all arms. */
        Optional<Arm> only() {
            return arms.size() == 1 ? arms.stream().findFirst() : Optional.empty();
        }
    }

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new FaultsMain())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((exception, arguments) -> usage(exception.getMessage()))
                .setExecutionExceptionHandler((exception, command, result) -> {
                    System.err.println("slipstream faults: "
                            + (exception instanceof StartFailure || exception instanceof FaultFailure
                                    ? exception.getMessage()
                                    : exception.toString()));
                    return FAILED;
                });
    }

    @Override
    public Integer call() throws Exception {
        String mistake = mistake();
        if (mistake != null) {
            return usage(mistake);
        }
        if (crash.isAsked()) {
            return crash.run(replay, arm.only().orElse(Arm.RDMA), json, recording("crash")) ? 0 : FAILED;
        }
        if (simulate) {
            return simulation();
        }
        return planted == null ? run() : planted();
    }

    /** Returns a message that names the wrong option, or null. */
    private String mistake() {
        if (minutes != null && (minutes < 1 || minutes > MOST_MINUTES)) {
            return "--minutes must be between 1 and " + MOST_MINUTES + ", not " + minutes;
        }
        if (seeds != null && seeds < 1) {
            return "--seeds must be at least 1, not " + seeds;
        }
        if (replay != null && seeds != null) {
            return "--replay runs one seed and excludes --seeds";
        }
        if (replay != null && minutes != null) {
            return "--replay runs one seed to its end and excludes --minutes";
        }
        String ofCrash = crash.mistake(simulate, minutes != null || seeds != null);
        if (ofCrash != null) {
            return ofCrash;
        }
        if (brokers != null && (brokers != 1 && brokers != 3 || replay != null || simulate || crash.isAsked())) {
            return "--brokers must be 1 or 3, with fresh seeds of process faults";
        }
        if (record != null && (replay != null || planted != null)) {
            return "--record needs fresh seeds and excludes --replay and --planted";
        }
        if (planted != null && !simulate && (crash.isAsked() || minutes != null || seeds != null || classes != null)) {
            return "--planted runs one short seed and takes only --replay";
        }
        if (classes != null && (simulate || crash.isAsked())) {
            return "--classes needs process faults";
        }
        try {
            classes();
        } catch (IllegalArgumentException e) {
            return "--classes: " + e.getMessage();
        }
        try {
            Optional.ofNullable(simulate ? null : planted).ifPresent(ProcessBug::named);
        } catch (IllegalArgumentException e) {
            return "--planted: " + e.getMessage();
        }
        if (simulate && arm != ArmChoice.ALL) {
            return "--arm needs process faults; --simulate has no arms";
        }
        if (simulate && json != null) {
            return "--json needs process faults; --simulate prints its counts";
        }
        if (json != null
                && json.toAbsolutePath().getParent() != null
                && !Files.isWritable(json.toAbsolutePath().getParent())) {
            return "--json: " + json.toAbsolutePath().getParent() + " is not a writable directory";
        }
        return null;
    }

    private Set<FaultClass> classes() {
        if (classes == null) {
            return EnumSet.allOf(FaultClass.class);
        }
        Set<FaultClass> chosen = EnumSet.noneOf(FaultClass.class);
        classes.forEach(label -> chosen.add(FaultClass.of(label.toLowerCase(Locale.ROOT))));
        return chosen;
    }

    private int run() throws IOException {
        Recording recording = recording(brokers == null ? "faults" : "faults-of-" + brokers + "-brokers");
        Machine machine = Machine.probe();
        Path directory = Files.createDirectories(Checkout.root().resolve(".slipstream/faults"));
        System.out.println("histories with anomalies are kept in " + directory);
        Campaign campaign = new Campaign(
                arm.arms,
                machine,
                directory,
                System.out,
                Campaign.SEED_LENGTH_MS,
                classes(),
                Clients.RECORDS_PER_SECOND);
        Totals totals = new Totals(campaign.run(limits()));
        Recording.print(recording, out -> new FaultsReport(totals, out).print(machine));
        if (json != null) {
            new FaultsJson(totals).write(machine, json);
        }
        return totals.red() == 0 && !totals.hasMoreDuplicatesByRdma() ? 0 : FAILED;
    }

    /** Null if nothing is to be recorded. */
    private Recording recording(String name) {
        return record == null
                ? null
                : Recording.begin(
                        record,
                        name,
                        "./slipstream faults "
                                + String.join(
                                        " ",
                                        command.commandLine().getParseResult().originalArgs()));
    }

    /** Succeeds if the judge says no. */
    private int planted() throws IOException {
        Path directory = Files.createDirectories(Checkout.root().resolve(".slipstream/faults"));
        long seed = replay != null ? replay : new SecureRandom().nextInt() & 0xffff_ffffL;
        Set<String> red = new PlantedRun(ProcessBug.named(planted), directory, System.out).run(seed);
        System.out.println(red.isEmpty() ? "NOT FOUND" : "found by " + red);
        return red.isEmpty() ? FAILED : 0;
    }

    private Campaign.Limits limits() {
        if (replay != null) {
            return new Campaign.Limits(replay, OptionalLong.of(1), Duration.ZERO, OptionalInt.empty());
        }
        OptionalLong count = seeds == null ? OptionalLong.empty() : OptionalLong.of(seeds);
        int most = minutes != null ? minutes : seeds != null ? MOST_MINUTES : DEFAULT_MINUTES;
        return new Campaign.Limits(
                new SecureRandom().nextInt() & 0xffff_ffffL,
                count,
                Duration.ofMinutes(most),
                brokers == null ? OptionalInt.empty() : OptionalInt.of(brokers));
    }

    /** Does not return: the simulation is a separate program with its own exit status. */
    private int simulation() {
        List<String> arguments = new ArrayList<>();
        if (minutes != null) {
            arguments.addAll(List.of("--minutes", minutes.toString()));
        }
        if (seeds != null) {
            arguments.addAll(List.of("--seeds", seeds.toString()));
        }
        if (replay != null) {
            arguments.addAll(List.of("--replay", replay.toString()));
        }
        if (record != null) {
            arguments.addAll(List.of("--record", record.toString()));
        }
        if (planted != null) {
            arguments.addAll(List.of("--planted", planted));
        }
        SimulationMain.main(arguments.toArray(String[]::new));
        return 0;
    }

    private static int usage(String message) {
        System.err.println("slipstream faults: " + message + "\nSee ./slipstream faults --help");
        return USAGE;
    }
}
