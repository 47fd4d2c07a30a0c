// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.doctor.Finding.Grade;
import io.slipstream.rdma.RdmaProvider;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest {
    private static final String USER = System.getProperty("user.name");

    @TempDir
    private Path directory;

    @Test
    void shouldNameAnActiveDeviceAndOneThatIsDown() throws IOException {
        device("mlx5_0", "4: ACTIVE");
        device("rxe0", "1: DOWN");

        List<Finding> findings = new RdmaDeviceCheck(directory).examine();

        assertThat(findings).extracting(Finding::grade).containsExactlyInAnyOrder(Grade.OK, Grade.WARN);
        assertThat(findings).extracting(Finding::state).anyMatch(state -> state.startsWith("mlx5_0 port 1 is active"));
    }

    @Test
    void shouldSayWhatHappensWithoutADevice() {
        Finding finding = only(new RdmaDeviceCheck(directory.resolve("missing")));

        assertThat(finding.grade()).isEqualTo(Grade.WARN);
        assertThat(finding.remedy()).contains("Soft-RoCE");
    }

    @Test
    void shouldWarnOfASmallMemlockLimit() throws IOException {
        Path limits = Files.writeString(
                directory.resolve("limits"),
                "Limit                     Soft Limit           Hard Limit           Units\n"
                        + "Max locked memory         8388608              8388608              bytes\n");
        assertThat(only(new MemlockCheck(limits)).grade()).isEqualTo(Grade.WARN);

        Files.writeString(limits, "Max locked memory         unlimited            unlimited            bytes\n");
        assertThat(only(new MemlockCheck(limits)).grade()).isEqualTo(Grade.OK);
    }

    @Test
    void shouldWarnOfALibraryThatDoesNotLoad() {
        assertThat(only(new NativeLibraryCheck(Optional::empty)).grade()).isEqualTo(Grade.OK);
        Finding finding = only(new NativeLibraryCheck(() -> Optional.of("librdmacm.so.1 is not installed")));
        assertThat(finding.grade()).isEqualTo(Grade.WARN);
        assertThat(finding.state()).contains("librdmacm.so.1");
    }

    @Test
    void shouldSayWhatADeviceMayDoWithFiles() {
        Optional<RdmaProvider> provider = RdmaProvider.named("shm");
        List<Path> directories = List.of(directory, directory.resolve("missing"));

        List<Finding> findings = new FileRegistrationCheck(provider, directories).examine();

        assertThat(findings).extracting(Finding::grade).containsExactly(Grade.OK, Grade.WARN);
        assertThat(findings.get(0).state()).contains(directory + ": remote read by read-only mapping");
        assertThat(new FileRegistrationCheck(Optional.empty(), directories).examine())
                .isEmpty();
    }

    @Test
    void shouldGradeKernels() {
        assertThat(only(new KernelCheck("Linux", "6.1.0-40-amd64")).grade()).isEqualTo(Grade.OK);
        assertThat(only(new KernelCheck("Linux", "6.5.0")).state()).contains("refuses writable registration");
        assertThat(only(new KernelCheck("Linux", "3.10.0")).grade()).isEqualTo(Grade.FAIL);
        assertThat(only(new KernelCheck("Mac OS X", "14.1")).grade()).isEqualTo(Grade.FAIL);
    }

    @Test
    void shouldFailOnASocketDirectoryThatIsOpenToOthers() throws IOException {
        Path sockets = Files.createDirectory(directory.resolve("s"));
        for (String open : new String[] {"rwxrwx---", "rwx----wx", "rwxr-----"}) {
            Files.setPosixFilePermissions(sockets, PosixFilePermissions.fromString(open));
            assertThat(only(new SocketDirectoryCheck(sockets, USER)).grade())
                    .as(open)
                    .isEqualTo(Grade.FAIL);
        }
        Files.setPosixFilePermissions(sockets, PosixFilePermissions.fromString("rwx--x---"));
        Finding enterable = only(new SocketDirectoryCheck(sockets, USER));
        assertThat(enterable.grade()).isEqualTo(Grade.OK);
        assertThat(enterable.state()).contains("slipstream.control.socket.mode=rw-rw----");

        Files.setPosixFilePermissions(sockets, PosixFilePermissions.fromString("rwx------"));
        assertThat(only(new SocketDirectoryCheck(sockets, USER)).grade()).isEqualTo(Grade.OK);
        assertThat(only(new SocketDirectoryCheck(sockets, "somebody")).grade()).isEqualTo(Grade.WARN);
    }

    @Test
    void shouldNameThePackageOfAMissingTool() {
        assertThat(new ToolCheck(directory.toString()).examine())
                .filteredOn(finding -> finding.subject().equals("kcat"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.remedy()).contains("kafkacat"));
    }

    @Test
    void shouldFailAsAWholeOnlyIfAFindingFails() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

        assertThat(DoctorCommand.report(List.of(() -> List.of(Finding.warn("a", "b", "c"))), out))
                .isTrue();
        assertThat(DoctorCommand.report(List.of(() -> List.of(Finding.fail("a", "b", "c"))), out))
                .isFalse();
        assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("0 OK, 1 WARN, 0 FAIL");
    }

    private static Finding only(Check check) {
        assertThat(check.examine()).hasSize(1);
        return check.examine().get(0);
    }

    private void device(String name, String state) throws IOException {
        Path port = Files.createDirectories(directory.resolve(name).resolve("ports/1"));
        Files.writeString(port.resolve("state"), state + "\n");
        Files.writeString(port.resolve("link_layer"), "Ethernet\n");
        Files.writeString(port.resolve("rate"), "100 Gb/sec (4X EDR)\n");
    }
}
