// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import io.slipstream.faults.judge.ClientDirectory.Client;
import io.slipstream.history.BrokerEvent.PartitionDeleted;
import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.ClientFailed;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.ClientEvent.Revoked;
import io.slipstream.history.ClientEvent.SendCompleted;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.ClientEvent.WatermarksObserved;
import io.slipstream.history.ConsumerKind;
import io.slipstream.history.Declaration.ConsumerDeclared;
import io.slipstream.history.Declaration.PartitionDeclared;
import io.slipstream.history.Declaration.ProducerDeclared;
import io.slipstream.history.Event;
import io.slipstream.history.History;
import io.slipstream.history.Outcome;
import io.slipstream.history.RunEvent.FaultBegun;
import io.slipstream.history.RunEvent.FaultEnded;
import io.slipstream.history.RunEvent.FaultsStopped;
import io.slipstream.history.RunEvent.LoadStopping;
import io.slipstream.history.ValueId;
import io.slipstream.workload.ClientNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** Reads from a history what clients got during and after each fault. */
public final class ServiceBuilder {
    /** A client without success for so long before a fault was not working. */
    private static final long WORKING_NS = 5_000_000_000L;

    private final ClientDirectory clients;
    private final ErrorMoments errors = new ErrorMoments();
    private final Waits waits = new Waits(this::waited);
    /** Partitions of sends without an answer yet. */
    private final Map<Long, Integer> unanswered = new HashMap<>();

    private final Map<Integer, OpenWindow> open = new HashMap<>();
    private final List<Service.Window> closed = new ArrayList<>();
    private long operations;
    private long lastNs;
    /** Whether clients are being stopped: their errors still count, but not what they get. */
    private boolean stopping;

    private boolean over;

    private ServiceBuilder(ClientNames names) {
        clients = new ClientDirectory(names);
    }

    public static Service read(History history, ClientNames names) {
        ServiceBuilder builder = new ServiceBuilder(names);
        history.forEach(builder::visit);
        builder.end();
        builder.closed.sort(Comparator.comparingInt(Service.Window::fault));
        return new Service(
                List.copyOf(builder.closed),
                builder.errors.counts(),
                (int) builder.clients.all().stream()
                        .filter(client -> client.kind.isFencible())
                        .count(),
                builder.operations,
                builder.longest(client -> client.silenceNs),
                builder.longest(client -> client.waitNs));
    }

    private Map<String, Long> longest(ToLongFunction<Client> of) {
        return clients.all().stream().collect(Collectors.toUnmodifiableMap(client -> client.name, of::applyAsLong));
    }

    private void visit(Event event) {
        if (over) {
            return;
        }
        errors.visit(event);
        if (event instanceof ConsumerDeclared consumer && consumer.kind() == ConsumerKind.FROM_ZERO) {
            end();
        } else if (event instanceof LoadStopping stop) {
            seen(stop.atNs());
            stop();
        } else if (!stopping) {
            serve(event);
        }
    }

    private void serve(Event event) {
        if (event instanceof SendInvoked sent) {
            unanswered.put(ValueId.of(sent.producer(), sent.sequence()), sent.partition());
        } else if (event instanceof SendCompleted sent) {
            complete(sent);
        } else if (event instanceof Polled polled) {
            poll(polled);
        } else if (event instanceof WatermarksObserved seen) {
            observe(seen);
        } else if (event instanceof FaultBegun begun) {
            begin(begun);
        } else if (event instanceof FaultEnded ended) {
            waits.tellPending(ended.atNs());
            open.get(ended.fault()).heal(ended.atNs());
        } else if (event instanceof FaultsStopped stopped) {
            seen(stopped.atNs());
        } else if (event instanceof PartitionDeleted deleted) {
            retire(clients.topic(deleted.partition()));
        } else {
            visitClient(event);
        }
    }

    private void complete(SendCompleted sent) {
        Integer partition = unanswered.remove(ValueId.of(sent.producer(), sent.sequence()));
        if (sent.outcome() == Outcome.OK) {
            if (partition != null && sent.offset() >= 0 && clients.hasAcksAll(sent.producer())) {
                waits.acknowledge(partition, sent.offset(), sent.atNs());
            }
            succeed(clients.producer(sent.producer()), sent.atNs(), 1);
        }
    }

    private void observe(WatermarksObserved seen) {
        waits.observe(seen);
        succeed(clients.observer(seen.observer(), seen.partition()), seen.atNs(), 0);
    }

    private void visitClient(Event event) {
        if (event instanceof Positioned positioned) {
            waits.position(positioned, clients.isReadCommitted(positioned.consumer()));
        } else if (event instanceof Assigned assigned) {
            waits.assign(assigned);
        } else if (event instanceof Revoked revoked) {
            waits.revoke(revoked);
        } else if (event instanceof ClientFailed failed) {
            seen(failed.atNs());
        } else if (event instanceof PartitionDeclared partition) {
            clients.declare(partition);
        } else if (event instanceof ProducerDeclared producer) {
            clients.declare(producer);
        } else if (event instanceof ConsumerDeclared consumer) {
            waits.forget(clients.declare(consumer));
        }
    }

    private void seen(long atNs) {
        lastNs = Math.max(lastNs, atNs);
    }

    private void poll(Polled polled) {
        Client client = clients.consumer(polled.consumer());
        if (client == null) {
            return;
        }
        client.topic = clients.topic(polled.partition());
        waits.poll(polled, clients.isReadCommitted(polled.consumer()));
        if (polled.records().size() > 0) {
            succeed(client, polled.atNs(), polled.records().size());
        }
    }

    /** @param count records; 0 for an observer, which alone serves nobody */
    private void succeed(Client client, long atNs, long count) {
        seen(atNs);
        client.silenceNs = client.lastNs == ClientDirectory.NOT_WORKING
                ? client.silenceNs
                : Math.max(client.silenceNs, atNs - client.lastNs);
        client.lastNs = Math.max(client.lastNs, atNs);
        operations += count;
        open.values().forEach(window -> window.succeed(client.name, atNs, count));
    }

    private void waited(int consumer, int partition, long fromNs, long toNs) {
        Client client = clients.consumer(consumer);
        if (client != null && client.kind.isReader()) {
            client.waitNs = Math.max(client.waitNs, toNs - fromNs);
            open.values().forEach(window -> window.wait(client.name, fromNs, toNs));
        }
    }

    private void begin(FaultBegun begun) {
        closeHealed(begun.atNs());
        OpenWindow window = new OpenWindow(begun);
        clients.all().stream()
                .filter(client -> client.lastNs > begun.atNs() - WORKING_NS)
                .forEach(client -> window.add(client.name, client.kind));
        open.put(begun.fault(), window);
    }

    private void closeHealed(long atNs) {
        waits.tellPending(atNs);
        List<OpenWindow> ended = open.values().stream()
                .filter(window -> window.isHealed() && !isOverlapped(window))
                .toList();
        for (OpenWindow window : ended) {
            closed.add(window.close(atNs));
            open.remove(window.fault());
        }
    }

    /** Whether another fault has lasted since before this one was healed: clients cannot recover yet. */
    private boolean isOverlapped(OpenWindow window) {
        return open.values().stream().anyMatch(other -> !other.isHealed() && other.beganNs() <= window.endNs());
    }

    private void retire(String topic) {
        for (Client client : clients.all()) {
            if (client.isOf(topic)) {
                client.lastNs = ClientDirectory.NOT_WORKING;
                waits.forget(client.consumer);
                open.values().forEach(window -> window.remove(client.name));
            }
        }
    }

    /** The load ends before the final readers begin. */
    private void end() {
        stop();
        over = true;
    }

    private void stop() {
        if (!stopping) {
            open.values().stream().filter(window -> !window.isHealed()).forEach(window -> window.heal(lastNs));
            closeHealed(lastNs);
            clients.all().stream()
                    .filter(client -> client.lastNs != ClientDirectory.NOT_WORKING)
                    .forEach(client -> client.silenceNs = Math.max(client.silenceNs, lastNs - client.lastNs));
            stopping = true;
        }
    }
}
