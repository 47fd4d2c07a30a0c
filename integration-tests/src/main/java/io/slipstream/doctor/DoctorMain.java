package io.slipstream.doctor;

import java.io.PrintStream;
import java.util.List;

/** Runs all checks and prints a line for each finding. */
public final class DoctorMain {
    private DoctorMain() {}

    public static void main(String[] args) {
        if (args.length > 0) {
            System.err.println("slipstream doctor: unknown option " + args[0] + "; see ./slipstream doctor --help");
            System.exit(2);
        }
        System.exit(report(checksOfThisHost(), System.out) ? 0 : 1);
    }

    /** Prints all findings and a summary; whether none is FAIL. */
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

    private static List<Check> checksOfThisHost() {
        return List.of(
                new JdkCheck(),
                new KernelCheck(System.getProperty("os.name"), System.getProperty("os.version")),
                new EpollCheck(),
                new RdmaDeviceCheck(RdmaDeviceCheck.SYSFS),
                new MemlockCheck(MemlockCheck.LIMITS),
                new SharedMemoryCheck(SharedMemoryCheck.DEV_SHM),
                new SocketDirectoryCheck(SocketDirectoryCheck.DEFAULT, System.getProperty("user.name")),
                new PortCheck(),
                new ToolCheck(System.getenv().getOrDefault("PATH", "")));
    }
}
