// SPDX-License-Identifier: Apache-2.0
package io.slipstream.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Tool;
import io.slipstream.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code deploy/host-tuning/slipstream-tune} on a directory tree that imitates a host, never on the real host. */
@Timeout(60)
class HostTuningTest {
    private static final Path SCRIPT = Checkout.root().resolve("deploy/host-tuning/slipstream-tune");
    private static final long DEADLINE_S = 30;

    @TempDir
    private Path host;

    @BeforeEach
    void createHost() throws IOException {
        Tool.require("python3", "python3");
        file("proc/sys/vm/swappiness", "60");
        file("proc/sys/vm/zone_reclaim_mode", "0");
        file("proc/sys/vm/dirty_background_bytes", "0");
        file("proc/sys/vm/dirty_background_ratio", "10");
        file("proc/sys/net/core/rmem_max", "212992");
        file("proc/sys/net/core/somaxconn", "65535");
        file("proc/sys/net/ipv4/tcp_rmem", "4096 131072 6291456");
        file("proc/sys/net/ipv4/tcp_keepalive_time", "7200");
        file("proc/sys/kernel/osrelease", "6.1.0-40-amd64");
        file("proc/swaps", "Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2");
        file("proc/mounts", "/dev/sda1 / ext4 rw,relatime 0 0\n/dev/nvme1n1 /var/lib/kafka btrfs rw,relatime 0 0");
        file("sys/kernel/mm/transparent_hugepage/defrag", "madvise");
        file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
        file("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance");
        file("sys/block/nvme1n1/queue/scheduler", "mq-deadline");
        file("sys/block/nvme1n1/queue/read_ahead_kb", "128");
        file("sys/block/sda/queue/scheduler", "mq-deadline");
        file("sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN");
        file("sys/class/infiniband/mlx5_0/ports/1/link_layer", "Ethernet");
    }

    @Test
    void shouldShowCurrentAndRecommendedValues() throws IOException {
        Map<String, String> before = tree();

        Program check = tune("check", "--disks", "nvme1n1", "--log-dirs", "/var/lib/kafka/data");

        assertThat(check.status()).isEqualTo(1);
        assertThat(check.output().lines().map(line -> line.replaceAll(" {2,}", " | ")))
                .anyMatch(line -> line.startsWith("vm.swappiness | 60 | 1 | change | "))
                .anyMatch(line -> line.startsWith("vm.zone_reclaim_mode | 0 | 0 | ok | "))
                .anyMatch(line -> line.startsWith("net.core.somaxconn | 65535 | at least 4096 | ok | "))
                .anyMatch(line -> line.startsWith("cpu0 scaling_governor | powersave | performance | change | "))
                .anyMatch(line -> line.startsWith("nvme1n1 read_ahead_kb | 128 | 8 | change | "))
                .anyMatch(line -> line.startsWith("limit memlock of kafka | not ours | unlimited | change | "))
                .anyMatch(line -> line.startsWith("swap | 1 areas | off"))
                .anyMatch(line -> line.startsWith("kernel | 6.1.0-40-amd64 | 6.2 or later | look | "))
                .anyMatch(line -> line.startsWith("mlx5_0 port 1 | 1: DOWN | 4: ACTIVE | look | "))
                .anyMatch(line -> line.startsWith("mlx5_0 port 1 | RoCE | ECN"))
                .anyMatch(line -> line.startsWith("/var/lib/kafka/data on /var/lib/kafka | relatime | noatime"))
                .anyMatch(line -> line.startsWith("/var/lib/kafka/data is btrfs | btrfs | ext4 or XFS | look"));
        assertThat(tree()).isEqualTo(before);
    }

    @Test
    void shouldChangeNothingInADryRun() throws IOException {
        Map<String, String> before = tree();

        Program dry = tune("apply", "--dry-run", "--disks", "nvme1n1").succeeded();

        assertThat(dry.output()).contains("vm.swappiness: 60 -> 1 (dry run)");
        assertThat(tree()).isEqualTo(before);
        tune("apply").succeeded();
        Map<String, String> applied = tree();
        assertThat(tune("undo", "--dry-run").succeeded().output()).contains("swappiness: 1 -> 60 (dry run)");
        assertThat(tree()).isEqualTo(applied);
    }

    @Test
    void shouldApplyNowAndForTheNextStart() throws IOException {
        tune("apply", "--disks", "nvme1n1").succeeded();

        assertThat(read("proc/sys/vm/swappiness")).isEqualTo("1");
        assertThat(read("proc/sys/net/core/rmem_max")).isEqualTo("16777216");
        assertThat(read("proc/sys/net/core/somaxconn"))
                .as("a value above the minimum stays")
                .isEqualTo("65535");
        assertThat(read("proc/sys/net/ipv4/tcp_rmem")).isEqualTo("4096 131072 16777216");
        assertThat(read("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")).isEqualTo("performance");
        assertThat(read("sys/block/nvme1n1/queue/scheduler")).isEqualTo("none");
        assertThat(read("sys/block/sda/queue/scheduler"))
                .as("scheduler of a device that is not named")
                .isEqualTo("mq-deadline");
        assertThat(read("etc/sysctl.d/90-slipstream.conf"))
                .startsWith("# Written by slipstream-tune")
                .contains("\nvm.swappiness = 1\n", "\nnet.ipv4.tcp_rmem = 4096 131072 16777216\n")
                .doesNotContain("somaxconn", "zone_reclaim_mode");
        assertThat(read("etc/tmpfiles.d/slipstream-tune.conf"))
                .contains("w /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor - - - - performance")
                .doesNotContain("cpu1");
        assertThat(read("etc/udev/rules.d/90-slipstream.rules"))
                .contains("KERNEL==\"nvme1n1\", ATTR{queue/scheduler}=\"none\"");
        assertThat(read("etc/security/limits.d/90-slipstream.conf")).contains("kafka - memlock unlimited");
    }

    @Test
    void shouldChangeNothingTheSecondTime() throws IOException {
        tune("apply", "--disks", "nvme1n1").succeeded();
        Map<String, FileTime> times = times();

        Program second = tune("apply", "--disks", "nvme1n1").succeeded();

        assertThat(second.output()).isEqualTo("nothing to change\n");
        assertThat(times()).isEqualTo(times);
        assertThat(tune("check", "--disks", "nvme1n1").status()).isZero();
    }

    @Test
    void shouldRestoreTheOriginalValues() throws IOException {
        Map<String, String> before = tree();
        tune("apply", "--role", "proxy").succeeded();
        // Undo restores the kernel's original value, not this one.
        file("proc/sys/net/ipv4/tcp_keepalive_time", "100");
        tune("apply", "--role", "broker", "--disks", "nvme1n1").succeeded();
        assertThat(tree()).isNotEqualTo(before);
        // The kernel also resets the ratio when the bytes are set.
        file("proc/sys/vm/dirty_background_ratio", "0");

        tune("undo").succeeded();

        assertThat(tree()).isEqualTo(before);
        assertThat(tune("undo").succeeded().output()).isEqualTo("nothing to undo\n");
    }

    @Test
    void shouldKeepValuesThatWereChangedSince() throws IOException {
        tune("apply").succeeded();
        file("proc/sys/vm/swappiness", "30");

        Program undo = tune("undo").succeeded();

        assertThat(undo.output()).contains("/proc/sys/vm/swappiness: left at 30");
        assertThat(read("proc/sys/vm/swappiness")).isEqualTo("30");
        assertThat(read("proc/sys/net/core/rmem_max")).isEqualTo("212992");
    }

    @Test
    void shouldNotOverwriteAForeignFile() throws IOException {
        file("etc/sysctl.d/90-slipstream.conf", "vm.swappiness = 10");
        Map<String, String> before = tree();

        Program apply = tune("apply");

        assertThat(apply.status()).isEqualTo(1);
        assertThat(apply.errors()).contains("/etc/sysctl.d/90-slipstream.conf");
        assertThat(tree()).isEqualTo(before);
    }

    @Test
    void shouldNotApplyBrokerSettingsOnProxyHosts() throws IOException {
        tune("apply", "--role", "proxy", "--disks", "nvme1n1").succeeded();

        assertThat(read("proc/sys/vm/swappiness")).isEqualTo("60");
        assertThat(read("sys/block/nvme1n1/queue/scheduler")).isEqualTo("mq-deadline");
        assertThat(read("proc/sys/net/core/rmem_max")).isEqualTo("16777216");
    }

    @Test
    void shouldContinueWhenTheKernelRefusesAValue() throws IOException {
        Path refused = host.resolve("proc/sys/vm/swappiness");
        Files.delete(refused);
        // Not even root can write here.
        Files.createSymbolicLink(refused, Path.of("/proc/version"));

        Program apply = tune("apply");

        assertThat(apply.status()).isEqualTo(1);
        assertThat(apply.errors()).contains("/proc/sys/vm/swappiness: cannot be set to 1");
        assertThat(read("proc/sys/net/core/rmem_max")).isEqualTo("16777216");
        assertThat(read("etc/sysctl.d/90-slipstream.conf")).doesNotContain("swappiness");
        Files.delete(refused);
        assertThat(tune("undo").succeeded().errors()).isEmpty();
    }

    @Test
    void shouldRefuseInvalidNames() {
        Program apply = tune("apply", "--disks", "../../etc");

        assertThat(apply.status()).isEqualTo(2);
        assertThat(apply.errors()).contains("'../../etc' is no name");
    }

    private Program tune(String command, String... options) {
        List<String> words = new ArrayList<>(List.of("python3", SCRIPT.toString(), command, "--root", host.toString()));
        words.addAll(List.of(options));
        return Program.run(host, Map.of(), DEADLINE_S, words);
    }

    private void file(String name, String text) throws IOException {
        Path file = host.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }

    private String read(String name) throws IOException {
        String text = Files.readString(host.resolve(name));
        return name.startsWith("etc/") ? text : text.strip();
    }

    private Map<String, String> tree() throws IOException {
        Map<String, String> contents = new TreeMap<>();
        for (Path file : files()) {
            contents.put(
                    host.relativize(file).toString(),
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(file)) + Files.readString(file));
        }
        return contents;
    }

    private Map<String, FileTime> times() throws IOException {
        Map<String, FileTime> times = new TreeMap<>();
        for (Path file : files()) {
            times.put(host.relativize(file).toString(), Files.getLastModifiedTime(file));
        }
        return times;
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> paths = Files.walk(host)) {
            return paths.filter(Files::isRegularFile).toList();
        }
    }
}
