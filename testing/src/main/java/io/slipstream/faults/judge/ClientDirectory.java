// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.judge;

import io.slipstream.history.ConsumerKind;
import io.slipstream.history.Declaration.ConsumerDeclared;
import io.slipstream.history.Declaration.PartitionDeclared;
import io.slipstream.history.Declaration.ProducerDeclared;
import io.slipstream.workload.ClientNames;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The clients of a run. A client that reopens has a new number in the history and keeps its name. */
final class ClientDirectory {
    static final long NOT_WORKING = Long.MIN_VALUE;
    private static final int NO_CONSUMER = -1;

    private final ClientNames names;
    private final Map<Integer, String> topics = new HashMap<>();
    private final Map<Integer, Client> producers = new HashMap<>();
    private final Map<Integer, Client> consumers = new HashMap<>();
    private final Map<String, Client> clients = new HashMap<>();
    private final Set<Integer> acksAll = new HashSet<>();
    private final Set<Integer> committed = new HashSet<>();

    /** A client over all its sessions. */
    static final class Client {
        final String name;
        ClientKind kind;
        /** The time of its last success. */
        long lastNs = NOT_WORKING;

        long silenceNs;
        long waitNs;
        String topic = "";
        /** Its newest session as a consumer. */
        int consumer = NO_CONSUMER;

        private Client(String name, ClientKind kind) {
            this.name = name;
            this.kind = kind;
        }

        boolean isOf(String otherTopic) {
            return topic.equals(otherTopic) || name.startsWith(otherTopic + "/");
        }
    }

    ClientDirectory(ClientNames names) {
        this.names = names;
    }

    void declare(PartitionDeclared partition) {
        topics.put(partition.partition(), partition.topic());
    }

    void declare(ProducerDeclared producer) {
        ClientKind kind = switch (producer.kind()) {
            case TRANSACTIONAL -> ClientKind.TRANSACTIONAL_PRODUCER;
            case IDEMPOTENT -> ClientKind.IDEMPOTENT_PRODUCER;
            case PLAIN -> ClientKind.PLAIN_PRODUCER;
        };
        if (producer.acks() == -1) {
            acksAll.add(producer.producer());
        }
        String name = names.producers().getOrDefault(producer.producer(), "producer " + producer.producer());
        producers.put(producer.producer(), client(name, kind));
    }

    /** Returns the client's session before this one; there may be none of that number. */
    int declare(ConsumerDeclared consumer) {
        boolean member = consumer.kind() == ConsumerKind.GROUP;
        ClientKind kind = member
                ? ClientKind.MEMBER
                : consumer.readCommitted() ? ClientKind.READ_COMMITTED_READER : ClientKind.READ_UNCOMMITTED_READER;
        Client client =
                client(names.consumers().getOrDefault(consumer.consumer(), "consumer " + consumer.consumer()), kind);
        if (client.kind == ClientKind.TRANSACTIONAL_PRODUCER) {
            client.kind = ClientKind.COPIER;
        }
        if (consumer.readCommitted()) {
            committed.add(consumer.consumer());
        }
        int before = client.consumer;
        client.consumer = consumer.consumer();
        consumers.put(consumer.consumer(), client);
        return before;
    }

    private Client client(String name, ClientKind kind) {
        return clients.computeIfAbsent(name, any -> new Client(name, kind));
    }

    Client observer(String name, int partition) {
        Client observer = client(topics.get(partition) + "/" + name, ClientKind.OBSERVER);
        observer.topic = topics.get(partition);
        return observer;
    }

    Client producer(int producer) {
        return producers.get(producer);
    }

    Client consumer(int consumer) {
        return consumers.get(consumer);
    }

    String topic(int partition) {
        return topics.get(partition);
    }

    Collection<Client> all() {
        return clients.values();
    }

    boolean hasAcksAll(int producer) {
        return acksAll.contains(producer);
    }

    boolean isReadCommitted(int consumer) {
        return committed.contains(consumer);
    }
}
