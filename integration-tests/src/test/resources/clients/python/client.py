"""Produces lines, consumes records or copies them with confluent-kafka; LanguageClient describes the arguments."""
import os
import sys
import time

from confluent_kafka import Consumer, Producer

PATIENCE_S = 45


def produce(bootstrap, topic):
    failures = []
    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True})

    def delivered(error, _message):
        if error is not None:
            failures.append(error)

    for line in sys.stdin:
        producer.produce(topic, line.rstrip("\n"), on_delivery=delivered)
        producer.poll(0)
    unsent = producer.flush(PATIENCE_S)
    if unsent or failures:
        sys.exit(f"{unsent} not sent, failures: {failures[:3]}")


def lines(bootstrap, topic):
    """Sends each line when it comes, with a login by PLAIN."""
    producer = Producer({
        "bootstrap.servers": bootstrap,
        "enable.idempotence": True,
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": os.environ["SASL_USERNAME"],
        "sasl.password": os.environ["SASL_PASSWORD"],
    })
    for line in sys.stdin:
        producer.produce(topic, line.rstrip("\n"))
        producer.flush()


def consume(bootstrap, topic, group, count, protocol):
    consumer = Consumer({
        "bootstrap.servers": bootstrap,
        "group.id": group,
        "group.protocol": protocol,
        "auto.offset.reset": "earliest",
    })
    consumer.subscribe([topic])
    deadline = time.monotonic() + PATIENCE_S
    received = 0
    while received < count and time.monotonic() < deadline:
        for message in consumer.consume(500, 0.5):
            if message.error():
                sys.exit(str(message.error()))
            print(message.partition(), message.value().decode(), sep="\t")
            received += 1
    consumer.close()
    if received < count:
        sys.exit(f"only {received} of {count} records came")


def copy(bootstrap, source, target, group, count, protocol):
    consumer = Consumer({
        "bootstrap.servers": bootstrap,
        "group.id": group,
        "group.protocol": protocol,
        "auto.offset.reset": "earliest",
        "isolation.level": "read_committed",
        "enable.auto.commit": False,
    })
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": group})
    producer.init_transactions(PATIENCE_S)
    consumer.subscribe([source])
    deadline = time.monotonic() + PATIENCE_S
    copied = 0
    while copied < count and time.monotonic() < deadline:
        messages = consumer.consume(100, 0.5)
        if messages:
            producer.begin_transaction()
            for message in messages:
                if message.error():
                    sys.exit(str(message.error()))
                producer.produce(target, message.value())
            positions = consumer.position(consumer.assignment())
            producer.send_offsets_to_transaction(positions, consumer.consumer_group_metadata(), PATIENCE_S)
            producer.commit_transaction(PATIENCE_S)
            copied += len(messages)
    consumer.close()
    if copied < count:
        sys.exit(f"only {copied} of {count} records were copied")


if sys.argv[3] == "produce":
    produce(sys.argv[1], sys.argv[2])
elif sys.argv[3] == "lines":
    lines(sys.argv[1], sys.argv[2])
elif sys.argv[3] == "copy":
    copy(sys.argv[1], sys.argv[2], sys.argv[4], sys.argv[5], int(sys.argv[6]), sys.argv[7])
else:
    consume(sys.argv[1], sys.argv[2], sys.argv[4], int(sys.argv[5]), sys.argv[6])
