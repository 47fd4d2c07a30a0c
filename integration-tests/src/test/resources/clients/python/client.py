"""Produces lines or consumes records with confluent-kafka; LanguageClient describes the arguments."""
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


if sys.argv[3] == "produce":
    produce(sys.argv[1], sys.argv[2])
else:
    consume(sys.argv[1], sys.argv[2], sys.argv[4], int(sys.argv[5]), sys.argv[6])
