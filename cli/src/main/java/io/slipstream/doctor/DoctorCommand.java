// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import io.slipstream.protocol.control.DefaultDirectory;
import io.slipstream.rdma.RdmaProvider;
import io.slipstream.rdma.verbs.NativeLibrary;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * {@code slipstream doctor}: runs all checks and prints one line per finding. Exit status: 0 if no finding is FAIL,
 * else 1.
 */
@Command(
        name = "doctor",
        description = {
            "Prints one line per prerequisite of RDMA or of the quickstart: OK, WARN (works with restrictions) or FAIL (does not"
                    + " work), with the remedy.",
            "With an RDMA device, doctor also tests which file registrations the kernel allows in /dev/shm and each DIRECTORY."
        },
        footer = {"", "Exit status: 0 if no check is FAIL, else 1."})
public final class DoctorCommand implements Callable<Integer> {
    @Parameters(arity = "0..*", paramLabel = "DIRECTORY", description = "The broker's log.dirs.")
    private List<Path> directories = new ArrayList<>();

    @Override
    public Integer call() {
        return report(checksOfThisHost(directories), System.out) ? 0 : 1;
    }

    /** Prints all findings and a summary. Returns whether no finding is FAIL. */
    static boolean report(List<Check> checks, PrintStream out) {
        int[] counts = new int[Finding.Grade.values().length];
        for (Check check : checks) {
            for (Finding finding : check.examine()) {
                counts[finding.grade().ordinal()]++;
                out.println(finding.toLine());
            }
        }
        out.printf("%n%d OK, %d WARN, %d FAIL%n", counts[0], counts[1], counts[2]);
        return counts[Finding.Grade.FAIL.ordinal()] == 0;
    }

    private static List<Check> checksOfThisHost(List<Path> logDirectories) {
        List<Path> directories = new ArrayList<>(List.of(Path.of("/dev/shm")));
        directories.addAll(logDirectories);
        return List.of(
                new JdkCheck(),
                new KernelCheck(System.getProperty("os.name"), System.getProperty("os.version")),
                new EpollCheck(),
                new RdmaDeviceCheck(RdmaDeviceCheck.SYSFS),
                new NativeLibraryCheck(NativeLibrary::unavailableReason),
                new FileRegistrationCheck(RdmaProvider.named("verbs"), directories),
                new MemlockCheck(MemlockCheck.LIMITS),
                new SocketDirectoryCheck(DefaultDirectory.PATH, System.getProperty("user.name")),
                new PortCheck(),
                new ToolCheck(System.getenv().getOrDefault("PATH", "")));
    }
}
