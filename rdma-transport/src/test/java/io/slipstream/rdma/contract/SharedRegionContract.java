// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.WorkRequest;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Memory of one device that is registered in several domains: two links, each with a domain of its own, and one word. */
@Timeout(60)
public abstract class SharedRegionContract {
    private static final Set<Access> COUNTED = Set.of(Access.REMOTE_ATOMIC);
    private static final int LENGTH = 4096;

    protected abstract ProviderFixture openFixture() throws Exception;

    private ProviderFixture fixture;
    private RdmaDevice device;
    /** Two ends of the device, each with its own domain. */
    private Peer target;

    private Peer otherTarget;
    private Peer initiator;
    private Peer other;
    private MemoryRegion word;
    private MemoryRegion shared;

    @BeforeEach
    void connect() throws Exception {
        fixture = openFixture();
        device = fixture.openDevice();
        target = new Peer(device);
        otherTarget = new Peer(device);
        initiator = new Peer(fixture.openDevice());
        other = new Peer(fixture.openDevice());
        ConnectedPeers.connect(fixture, initiator, initiator.config(), target, target.config());
        ConnectedPeers.connect(fixture, other, other.config(), otherTarget, otherTarget.config());
        word = target.exported(LENGTH, Access.REMOTE_ATOMIC);
        shared = otherTarget.domain.share(word, COUNTED);
        otherTarget.export(shared);
    }

    @AfterEach
    void disconnect() throws Exception {
        initiator.close();
        other.close();
        device.close();
        fixture.close();
    }

    /** Adds one; returns what was there. */
    private static long add(Peer peer, MemoryRegion region) {
        WorkRequest add = peer.request(Opcode.FETCH_AND_ADD, region, Long.BYTES);
        add.compareAdd = 1;
        assertThat(peer.queuePair.post(add)).isEqualTo(PostStatus.POSTED);
        peer.awaitCompletion(Opcode.FETCH_AND_ADD, CompletionStatus.SUCCESS);
        return peer.local.buffer().getLong(0);
    }

    private static void assertRefused(Peer peer, Opcode opcode, MemoryRegion region) {
        peer.queuePair.post(peer.request(opcode, region, Long.BYTES));
        peer.awaitCompletion(opcode, CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void shouldCountOverTwoLinks() throws Exception {
        int rounds = Rounds.of(20_000);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread second = new Thread(() -> {
            try {
                addMany(other, shared, rounds);
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        second.start();
        addMany(initiator, word, rounds);
        second.join(TimeUnit.NANOSECONDS.toMillis(Peer.DEADLINE_NS));
        assertThat(second.isAlive()).isFalse();
        assertThat(failure.get()).isNull();
        assertThat(word.buffer().getLong(0)).isEqualTo(2L * rounds);
        assertThat(shared.buffer().getLong(0)).isEqualTo(2L * rounds);
    }

    private static void addMany(Peer peer, MemoryRegion region, int rounds) {
        long last = -1;
        for (int i = 0; i < rounds; i++) {
            long former = add(peer, region);
            assertThat(former).isGreaterThan(last);
            last = former;
        }
    }

    @Test
    void shouldHaveTheSameBytesAndKeysOfItsOwn() {
        assertThat(shared.lengthBytes()).isEqualTo(LENGTH);
        assertThat(shared.address()).isEqualTo(word.address());
        assertThat(shared.rkey()).isNotEqualTo(word.rkey());
        assertThat(shared.access()).isEqualTo(COUNTED);
        word.buffer().putLong(8, 77);
        assertThat(shared.buffer().getLong(8)).isEqualTo(77);
    }

    @Test
    void shouldGoOnWhenTheOwnerIsDeregistered() throws Exception {
        add(initiator, word);
        ByteBuffer view = word.buffer();
        assertThat(word.deregister(Peer.DEADLINE_NS)).isTrue();

        assertThat(shared.isRegistered()).isTrue();
        assertThat(add(other, shared)).isEqualTo(1);
        assertThat(view.getLong(0)).isEqualTo(2);
        assertRefused(initiator, Opcode.FETCH_AND_ADD, word);
        target.domain.close();
        System.gc();
        // Memory that was given back would be found here, or by what is allocated next.
        MemoryRegion next = otherTarget.exported(LENGTH, Access.REMOTE_ATOMIC);
        assertThat(add(other, shared)).isEqualTo(2);
        assertThat(next.buffer().getLong(0)).isZero();
        otherTarget.domain.share(shared, COUNTED).close();
        assertThat(add(other, shared)).isEqualTo(3);
    }

    @Test
    void shouldGoOnWhenTheOtherIsDeregistered() throws Exception {
        add(other, shared);
        assertThat(shared.deregister(Peer.DEADLINE_NS)).isTrue();

        assertThat(add(initiator, word)).isEqualTo(1);
        assertRefused(other, Opcode.FETCH_AND_ADD, shared);
        assertThat(word.buffer().getLong(0)).isEqualTo(2);
        // A queue pair that comes later can still be granted it: nothing that it needs went with the other.
        try (Peer third = new Peer(fixture.openDevice())) {
            ConnectedPeers.connect(fixture, third, third.config(), target, target.config());
            target.export(word);
            assertThat(add(third, word)).isEqualTo(2);
        }
    }

    @Test
    void shouldNotLendItsKeyToTheOtherDomainsPeers() {
        assertRefused(other, Opcode.FETCH_AND_ADD, word);
        assertThat(word.buffer().getLong(0)).isZero();
    }

    @Test
    void shouldHaveAccessOfItsOwn() throws Exception {
        word.buffer().putLong(0, 42);
        MemoryRegion readOnly = otherTarget.domain.share(word, Set.of(Access.REMOTE_READ));
        otherTarget.export(readOnly);
        other.queuePair.post(other.request(Opcode.READ, readOnly, 8));
        other.awaitCompletion(Opcode.READ, CompletionStatus.SUCCESS);
        assertThat(other.local.buffer().getLong(0)).isEqualTo(42);
        assertRefused(other, Opcode.FETCH_AND_ADD, readOnly);
        assertThat(word.buffer().getLong(0)).isEqualTo(42);
    }

    @Test
    void shouldCountInEachDomain() throws Exception {
        long own = target.local.lengthBytes();
        assertThat(target.domain.registeredBytes()).isEqualTo(own + LENGTH);
        assertThat(otherTarget.domain.registeredBytes()).isEqualTo(own + LENGTH);
        word.close();
        assertThat(target.domain.registeredBytes()).isEqualTo(own);
        assertThat(otherTarget.domain.registeredBytes()).isEqualTo(own + LENGTH);
        shared.close();
        shared.close();
        assertThat(otherTarget.domain.registeredBytes()).isEqualTo(own);
        device.close();
        assertThat(device.registeredBytes()).isZero();
    }

    @Test
    void shouldRefuseWhatCannotBeShared(@TempDir Path directory) throws Exception {
        ProtectionDomain domain = otherTarget.domain;
        MemoryRegion ofAnotherDevice = initiator.local;
        assertThatThrownBy(() -> domain.share(ofAnotherDevice, COUNTED)).isInstanceOf(IllegalArgumentException.class);
        MemoryRegion file = target.domain.registerFile(Files.write(directory.resolve("f"), new byte[8]), 0, 8);
        assertThatThrownBy(() -> domain.share(file, COUNTED)).isInstanceOf(IllegalArgumentException.class);
        word.close();
        assertThatThrownBy(() -> domain.share(word, COUNTED)).isInstanceOf(IllegalStateException.class);
        domain.close();
        assertThatThrownBy(() -> domain.share(target.local, COUNTED)).isInstanceOf(IllegalStateException.class);
    }
}
