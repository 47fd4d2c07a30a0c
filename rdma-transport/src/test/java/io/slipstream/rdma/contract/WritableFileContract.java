// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Windows of files that peers write: what arrives where, what does not, and until when. */
@Timeout(60)
public abstract class WritableFileContract {
    private static final int PAGE = 4096;
    private static final byte FILLED = 'x';

    protected abstract ProviderFixture openFixture() throws Exception;

    /** Where files are that the provider can write. */
    protected abstract Path parentDirectory();

    private ProviderFixture fixture;
    private ConnectedPeers peers;
    protected Peer initiator;
    protected Peer target;
    private Path directory;
    /** Four pages of {@link #FILLED}. */
    protected Path file;

    @BeforeEach
    void connect() throws Exception {
        directory = Files.createTempDirectory(parentDirectory(), "slp");
        byte[] contents = new byte[4 * PAGE];
        Arrays.fill(contents, FILLED);
        file = Files.write(directory.resolve("00000000.log"), contents);
        fixture = openFixture();
        peers = new ConnectedPeers(fixture);
        initiator = peers.initiator;
        target = peers.target;
    }

    @AfterEach
    void disconnect() throws Exception {
        peers.close();
        fixture.close();
        try (Stream<Path> left = Files.walk(directory)) {
            for (Path path : left.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    /** A window of that part of the file, exported over the target's queue pair. */
    protected MemoryRegion window(long positionBytes, long lengthBytes) throws Exception {
        MemoryRegion region = target.domain.registerFileForWriting(file, positionBytes, lengthBytes);
        target.export(region);
        return region;
    }

    /** Posts a write of {@code value}s. */
    private static void post(Peer writer, MemoryRegion region, int offset, int length, byte value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, value);
        writer.local.buffer().put(0, bytes);
        WorkRequest write = writer.request(Opcode.WRITE, region, length);
        write.remoteAddress += offset;
        assertThat(writer.queuePair.post(write)).isEqualTo(PostStatus.POSTED);
    }

    protected static void write(Peer writer, MemoryRegion region, int offset, int length, char value) {
        post(writer, region, offset, length, (byte) value);
        writer.awaitCompletion(Opcode.WRITE, CompletionStatus.SUCCESS);
    }

    private static void assertRefused(Peer writer, MemoryRegion region, int offset, int length) {
        post(writer, region, offset, length, (byte) '!');
        writer.awaitCompletion(Opcode.WRITE, CompletionStatus.REM_ACCESS_ERR);
        writer.awaitError();
    }

    protected String contents(long position, int length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return contents(channel, position, length);
        }
    }

    private static String contents(FileChannel channel, long position, int length) throws IOException {
        ByteBuffer read = ByteBuffer.allocate(length);
        while (read.hasRemaining() && channel.read(read, position + read.position()) > 0) {}
        return new String(read.array(), 0, read.position(), java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    private static String contents(MemoryRegion region, int offset, int length) {
        byte[] bytes = new byte[length];
        region.buffer().get(offset, bytes);
        return new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    @Test
    void shouldWriteIntoTheFileAndTheBuffer() throws Exception {
        MemoryRegion window = window(PAGE, PAGE);
        target.postReceives(1);

        write(initiator, window, 100, 3, 'a');

        assertThat(contents(window, 98, 7)).isEqualTo("xxaaaxx");
        assertThat(contents(PAGE + 98, 7)).isEqualTo("xxaaaxx");
        assertThat(contents(0, PAGE)).containsOnlyOnce("x".repeat(PAGE));
        assertThat(Files.size(file)).isEqualTo(4 * PAGE);
        target.assertNoCompletion();
    }

    @Test
    void shouldDescribeTheWindow() throws Exception {
        MemoryRegion window = target.domain.registerFileForWriting(file, 2 * PAGE, PAGE + 10);

        ByteBuffer buffer = window.buffer();
        assertThat(buffer.isDirect()).isTrue();
        assertThat(buffer.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        assertThat(buffer.position()).isZero();
        assertThat(buffer.limit()).isEqualTo(PAGE + 10);
        assertThat(window.lengthBytes()).isEqualTo(PAGE + 10);
        assertThat(window.address()).isEqualTo(BufferUtil.address(buffer));
        assertThat(window.access()).containsExactly(Access.REMOTE_WRITE);
        assertThat(window.isRegistered()).isTrue();
        assertThat(target.device.probe(directory).remoteWrite()).isTrue();
    }

    /** The owner's writes and the file's are the same bytes: a broker restores a batch's length in place. */
    @Test
    void shouldShareTheBufferWithTheFile() throws Exception {
        MemoryRegion window = window(0, PAGE);
        window.buffer().put(5, (byte) 'b');
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {'c'}), 6);
        }
        assertThat(contents(4, 4)).isEqualTo("xbcx");
        assertThat(contents(window, 4, 4)).isEqualTo("xbcx");
    }

    @Test
    void shouldShowWritesBeforeTheImmediateThatFollowsThem() throws Exception {
        MemoryRegion window = window(PAGE, 2 * PAGE);
        target.postReceives(Peer.DEPTH);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            for (int i = 1; i <= Rounds.of(500); i++) {
                char value = (char) ('a' + i % 26);
                byte[] bytes = new byte[PAGE];
                Arrays.fill(bytes, (byte) value);
                initiator.local.buffer().put(0, bytes);
                WorkRequest first = initiator.request(Opcode.WRITE, window, PAGE);
                first.signaled = false;
                initiator.queuePair.post(first);
                WorkRequest second = initiator.request(Opcode.WRITE_WITH_IMM, window, PAGE);
                second.remoteAddress += PAGE;
                second.imm = i;
                initiator.queuePair.post(second);

                WorkCompletion received = target.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS);
                assertThat(received.imm).isEqualTo(i);
                assertThat(received.byteLen).isEqualTo(PAGE);
                String expected = String.valueOf(value).repeat(2 * PAGE);
                assertThat(contents(window, 0, 2 * PAGE)).isEqualTo(expected);
                assertThat(contents(channel, PAGE, 2 * PAGE)).isEqualTo(expected);
                target.postReceives(1);
                initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
            }
        }
    }

    @ParameterizedTest(name = "{1} bytes at {0} of {2}")
    @CsvSource({
        "-1, 1, 4096", // the byte before
        "4096, 1, 4096", // the byte behind
        "4089, 8, 4096", // across the end
        "100, 1, 100", // within the last page, but not of the window
        "-8192, 8, 4096", // before the file
    })
    void shouldRefuseWhatIsOutsideOfTheWindow(int offset, int length, int windowBytes) throws Exception {
        MemoryRegion window = window(PAGE, windowBytes);
        write(initiator, window, windowBytes - 1, 1, 'x');

        assertRefused(initiator, window, offset, length);

        assertThat(contents(0, 4 * PAGE)).isEqualTo("x".repeat(4 * PAGE));
    }

    @Test
    void shouldNotBeReadable() throws Exception {
        MemoryRegion window = window(0, PAGE);
        initiator.queuePair.post(initiator.request(Opcode.READ, window, 8));
        initiator.awaitCompletion(Opcode.READ, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldFence() throws Exception {
        MemoryRegion window = window(0, PAGE);
        write(initiator, window, 0, 2, 'a');

        assertThat(window.deregister(Peer.DEADLINE_NS)).isTrue();

        assertThat(window.isRegistered()).isFalse();
        assertRefused(initiator, window, 0, PAGE);
        assertThat(contents(0, 4)).isEqualTo("aaxx");
        assertThat(contents(window, 0, 4)).isEqualTo("aaxx");
        assertThat(window.deregister(0)).isTrue();
    }

    /** Whoever still reads when all is closed must find bytes there, not a missing page. */
    @Test
    void shouldKeepTheBufferForLateReaders() throws Exception {
        ByteBuffer late = window(0, PAGE).buffer().slice();
        peers.close();
        Files.delete(file);
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        assertThat(late.get(PAGE - 1)).isEqualTo(FILLED);
        late.put(0, (byte) 'z');
        assertThat(late.get(0)).isEqualTo((byte) 'z');
    }

    @Test
    void shouldHaveOverlappingWindows() throws Exception {
        MemoryRegion whole = window(0, 4 * PAGE);
        MemoryRegion part = window(PAGE, 2 * PAGE);
        MemoryRegion again = window(PAGE, 2 * PAGE);

        write(initiator, whole, PAGE, 1, 'a');
        write(initiator, part, 1, 1, 'b');
        write(initiator, again, 2, 1, 'c');

        assertThat(contents(PAGE, 4)).isEqualTo("abcx");
        for (MemoryRegion same : List.of(part, again)) {
            assertThat(contents(same, 0, 4)).isEqualTo("abcx");
        }
        assertThat(contents(whole, PAGE, 4)).isEqualTo("abcx");
        assertThat(part.deregister(Peer.DEADLINE_NS)).isTrue();
        write(initiator, again, 3, 1, 'd');
        write(initiator, whole, PAGE, 1, 'e');
        assertThat(contents(PAGE, 4)).isEqualTo("ebcd");
        assertRefused(initiator, part, 0, 1);
        assertThat(contents(PAGE, 4)).isEqualTo("ebcd");
    }

    @Test
    void shouldFollowTheFileWhenItIsRenamedAndUnlinked() throws Exception {
        MemoryRegion early = window(0, PAGE);
        MemoryRegion late = target.domain.registerFileForWriting(file, PAGE, PAGE);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            Files.move(file, directory.resolve("00000000.log.deleted"));
            write(initiator, early, 0, 1, 'a');
            Files.delete(directory.resolve("00000000.log.deleted"));
            write(initiator, early, 1, 1, 'b');
            target.export(late);
            write(initiator, late, 0, 1, 'c');
            assertThat(contents(channel, 0, 3)).isEqualTo("abx");
            assertThat(contents(channel, PAGE, 2)).isEqualTo("cx");
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void shouldServeSeveralQueuePairsOfADomain() throws Exception {
        MemoryRegion window = window(0, PAGE);
        try (Peer second = new Peer(fixture.openDevice())) {
            var first = target.queuePair;
            ConnectedPeers.connect(fixture, second, second.config(), target, target.config());
            target.export(window);
            var other = target.queuePair;

            write(initiator, window, 0, 1, 'a');
            write(second, window, 1, 1, 'b');
            assertThat(contents(0, 3)).isEqualTo("abx");

            other.close();
            write(initiator, window, 2, 1, 'c');
            target.queuePair = first;
        }
        assertThat(contents(0, 4)).isEqualTo("abcx");
    }

    @Test
    void shouldFenceSeveralQueuePairsOfADomain() throws Exception {
        MemoryRegion window = window(0, PAGE);
        try (Peer second = new Peer(fixture.openDevice())) {
            ConnectedPeers.connect(fixture, second, second.config(), target, target.config());
            target.export(window);
            write(second, window, 0, 1, 'a');

            assertThat(window.deregister(Peer.DEADLINE_NS)).isTrue();

            assertRefused(initiator, window, 0, 8);
            assertRefused(second, window, 0, 8);
            assertThat(contents(0, 8)).isEqualTo("axxxxxxx");
        }
    }

    @Test
    void shouldAccountForWindows() throws Exception {
        long before = target.domain.registeredBytes();
        MemoryRegion one = window(0, 3 * PAGE);
        MemoryRegion other = window(PAGE, PAGE);
        assertThat(target.domain.registeredBytes()).isEqualTo(before + 4 * PAGE);
        assertThat(target.device.registeredBytes()).isEqualTo(before + 4 * PAGE);
        one.close();
        assertThat(target.domain.registeredBytes()).isEqualTo(before + PAGE);
        other.close();
        other.close();
        assertThat(target.domain.registeredBytes()).isEqualTo(before);
        window(0, PAGE);
        target.close();
        assertThat(target.device.registeredBytes()).isZero();
    }

    @Test
    void shouldRefuseAFileThatIsTooShort() throws Exception {
        assertThatThrownBy(() -> target.domain.registerFileForWriting(file, 2 * PAGE, 2 * PAGE + 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("has 16384 bytes")
                .hasMessageContaining("8193 bytes at 8192");
        assertThatThrownBy(() -> target.domain.registerFileForWriting(file, 1L << 40, PAGE))
                .isInstanceOf(IOException.class);
        assertThat(Files.size(file)).isEqualTo(4 * PAGE);
        assertThat(target.domain.registeredBytes()).isEqualTo(target.local.lengthBytes());
        Files.delete(file);
        assertThatThrownBy(() -> target.domain.registerFileForWriting(file, 0, PAGE))
                .isInstanceOfAny(NoSuchFileException.class, java.io.FileNotFoundException.class);
        assertThat(file).doesNotExist();
    }

    @ParameterizedTest(name = "{1} bytes at {0}")
    @CsvSource({"1, 10", "4095, 10", "-4096, 10", "0, 0", "0, -1", "0, 2147483648"})
    void shouldRefuseWhatIsNoWindow(long positionBytes, long lengthBytes) {
        assertThatThrownBy(() -> target.domain.registerFileForWriting(file, positionBytes, lengthBytes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(positionBytes + " + " + lengthBytes);
    }
}
