// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import io.slipstream.history.BrokerEvent.PartitionDeleted;
import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.ClientFailed;
import io.slipstream.history.ClientEvent.OffsetsCommitted;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.ClientEvent.ProducerInitialized;
import io.slipstream.history.ClientEvent.Revoked;
import io.slipstream.history.ClientEvent.SendCompleted;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.ClientEvent.TransactionEnded;
import io.slipstream.history.ClientEvent.TransactionOffsetsSent;
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
import io.slipstream.history.ValueId;
import io.slipstream.workload.ClientNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** Reads from a history what clients got during and after each fault. */
public final class ServiceBuilder {
    /** A client without success for so long before a fault was not working. */
    private static final long WORKING_NS = 5_000_000_000L;

    private static final long NOT_WORKING = Long.MIN_VALUE;

    private final ClientNames names;
    private final ErrorMoments errors = new ErrorMoments();
    private final Waits waits = new Waits(this::waited);
    private final Map<Integer, String> topics = new HashMap<>();
    private final Map<Integer, Client> producers = new HashMap<>();
    private final Map<Integer, ConsumerDeclared> declared = new HashMap<>();
    private final Map<Integer, Client> consumers = new HashMap<>();
    private final Map<String, Client> clients = new HashMap<>();
    /** Partitions of sends without an answer yet. */
    private final Map<Long, Integer> unanswered = new HashMap<>();

    private final Set<Integer> acksAll = new HashSet<>();
    private final Map<Integer, OpenWindow> open = new HashMap<>();
    private final List<Service.Window> closed = new ArrayList<>();
    private long operations;
    private long lastNs;
    private boolean over;

    private static final class Client {
        final String name;
        ClientKind kind;
        long lastNs = NOT_WORKING;
        long silenceNs;
        long waitNs;
        String topic = "";
        /** Its newest session as a consumer. */
        int consumer = -1;

        Client(String name, ClientKind kind) {
            this.name = name;
            this.kind = kind;
        }
    }

    private ServiceBuilder(ClientNames names) {
        this.names = names;
    }

    public static Service read(History history, ClientNames names) {
        ServiceBuilder builder = new ServiceBuilder(names);
        history.forEach(builder::visit);
        builder.end();
        builder.closed.sort(Comparator.comparingInt(Service.Window::fault));
        return new Service(
                List.copyOf(builder.closed),
                builder.errors.counts(),
                (int) builder.clients.values().stream()
                        .filter(client -> client.kind.isFencible())
                        .count(),
                builder.operations,
                builder.longest(client -> client.silenceNs),
                builder.longest(client -> client.waitNs));
    }

    private Map<String, Long> longest(ToLongFunction<Client> of) {
        return clients.values().stream().collect(Collectors.toUnmodifiableMap(client -> client.name, of::applyAsLong));
    }

    private void visit(Event event) {
        if (over) {
            return;
        }
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
            errors.healed(ended.fault(), ended.atNs());
        } else if (event instanceof FaultsStopped stopped) {
            seen(stopped.atNs());
        } else if (event instanceof PartitionDeleted deleted) {
            retire(topics.get(deleted.partition()));
        } else {
            visitClient(event);
        }
    }

    private void complete(SendCompleted sent) {
        errors.saw("p" + sent.producer(), sent.error(), sent.atNs());
        Integer partition = unanswered.remove(ValueId.of(sent.producer(), sent.sequence()));
        if (sent.outcome() == Outcome.OK) {
            if (partition != null && sent.offset() >= 0 && acksAll.contains(sent.producer())) {
                waits.acknowledge(partition, sent.offset(), sent.atNs());
            }
            succeed(producers.get(sent.producer()), sent.atNs(), 1);
        }
    }

    private void observe(WatermarksObserved seen) {
        waits.observe(seen);
        String topic = topics.get(seen.partition());
        Client observer =
                clients.computeIfAbsent(topic + "/" + seen.observer(), name -> new Client(name, ClientKind.OBSERVER));
        observer.topic = topic;
        succeed(observer, seen.atNs(), 0);
    }

    private void visitClient(Event event) {
        if (event instanceof Positioned positioned) {
            waits.position(positioned, isCommitted(positioned.consumer()));
        } else if (event instanceof Assigned assigned) {
            waits.assign(assigned);
        } else if (event instanceof Revoked revoked) {
            waits.revoke(revoked);
        } else if (event instanceof OffsetsCommitted committed) {
            errors.saw("c" + committed.consumer(), committed.error(), committed.atNs());
        } else if (event instanceof TransactionEnded ended) {
            errors.saw("p" + ended.producer(), ended.error(), ended.atNs());
        } else if (event instanceof TransactionOffsetsSent sent) {
            errors.saw("p" + sent.producer(), sent.error(), sent.atNs());
        } else if (event instanceof ProducerInitialized initialized) {
            errors.saw("p" + initialized.producer(), initialized.error(), initialized.atNs());
        } else if (event instanceof ClientFailed failed) {
            errors.saw(failed.client(), failed.error(), failed.atNs());
            seen(failed.atNs());
        } else {
            declare(event);
        }
    }

    private void declare(Event event) {
        if (event instanceof PartitionDeclared partition) {
            topics.put(partition.partition(), partition.topic());
        } else if (event instanceof ProducerDeclared producer) {
            ClientKind kind = switch (producer.kind()) {
                case TRANSACTIONAL -> ClientKind.TRANSACTIONAL_PRODUCER;
                case IDEMPOTENT -> ClientKind.IDEMPOTENT_PRODUCER;
                case PLAIN -> ClientKind.PLAIN_PRODUCER;
            };
            if (producer.acks() == -1) {
                acksAll.add(producer.producer());
            }
            String name = names.producers().getOrDefault(producer.producer(), "producer " + producer.producer());
            producers.put(producer.producer(), clients.computeIfAbsent(name, any -> new Client(name, kind)));
        } else if (event instanceof ConsumerDeclared consumer) {
            declare(consumer);
        }
    }

    private void declare(ConsumerDeclared consumer) {
        if (consumer.kind() == ConsumerKind.FROM_ZERO) {
            end();
            return;
        }
        boolean member = consumer.kind() == ConsumerKind.GROUP;
        ClientKind kind = member
                ? ClientKind.MEMBER
                : consumer.readCommitted() ? ClientKind.READ_COMMITTED_READER : ClientKind.READ_UNCOMMITTED_READER;
        String name = names.consumers().getOrDefault(consumer.consumer(), "consumer " + consumer.consumer());
        Client client = clients.computeIfAbsent(name, any -> new Client(name, kind));
        if (client.kind == ClientKind.TRANSACTIONAL_PRODUCER) {
            client.kind = ClientKind.COPIER;
        }
        waits.forget(client.consumer);
        client.consumer = consumer.consumer();
        declared.put(consumer.consumer(), consumer);
        consumers.put(consumer.consumer(), client);
    }

    private void seen(long atNs) {
        lastNs = Math.max(lastNs, atNs);
    }

    private boolean isCommitted(int consumer) {
        ConsumerDeclared known = declared.get(consumer);
        return known != null && known.readCommitted();
    }

    private void poll(Polled polled) {
        Client client = consumers.get(polled.consumer());
        if (client == null) {
            return;
        }
        client.topic = topics.get(polled.partition());
        waits.poll(polled, isCommitted(polled.consumer()));
        if (polled.records().size() > 0) {
            succeed(client, polled.atNs(), polled.records().size());
        }
    }

    /** @param count records; 0 for an observer, which alone serves nobody */
    private void succeed(Client client, long atNs, long count) {
        seen(atNs);
        client.silenceNs =
                client.lastNs == NOT_WORKING ? client.silenceNs : Math.max(client.silenceNs, atNs - client.lastNs);
        client.lastNs = Math.max(client.lastNs, atNs);
        operations += count;
        open.values().forEach(window -> window.succeed(client.name, atNs, count));
    }

    private void waited(int consumer, int partition, long fromNs, long toNs) {
        Client client = consumers.get(consumer);
        if (client != null && client.kind.isReader()) {
            client.waitNs = Math.max(client.waitNs, toNs - fromNs);
            open.values().forEach(window -> window.wait(client.name, fromNs, toNs));
        }
    }

    private void begin(FaultBegun begun) {
        closeHealed(begun.atNs());
        OpenWindow window = new OpenWindow(begun);
        clients.values().stream()
                .filter(client -> client.lastNs > begun.atNs() - WORKING_NS)
                .forEach(client -> window.add(client.name, client.kind));
        open.put(begun.fault(), window);
        errors.begun(begun.fault());
    }

    private void closeHealed(long atNs) {
        waits.tellPending(atNs);
        open.values().removeIf(window -> {
            if (window.isHealed()) {
                closed.add(window.close(atNs));
            }
            return window.isHealed();
        });
    }

    private void retire(String topic) {
        for (Client client : clients.values()) {
            if (client.topic.equals(topic) || client.name.startsWith(topic + "/")) {
                client.lastNs = NOT_WORKING;
                waits.forget(client.consumer);
                open.values().forEach(window -> window.remove(client.name));
            }
        }
    }

    /** The load ends before the final readers begin. */
    private void end() {
        if (!over) {
            open.values().stream().filter(window -> !window.isHealed()).forEach(window -> window.heal(lastNs));
            closeHealed(lastNs);
            clients.values().stream()
                    .filter(client -> client.lastNs != NOT_WORKING)
                    .forEach(client -> client.silenceNs = Math.max(client.silenceNs, lastNs - client.lastNs));
            over = true;
        }
    }
}
