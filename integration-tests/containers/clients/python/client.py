# SPDX-License-Identifier: Apache-2.0
"""The workload client with confluent-kafka; ../README.md describes what it does and writes."""
import json
import os
import signal
import sys
import threading
import time
import zlib

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

LANGUAGE = "python"
BOOTSTRAP = os.environ.get("BOOTSTRAP_SERVERS", "localhost:9092")
TOPIC = os.environ["TOPIC"]
PARTITIONS = int(os.environ.get("PARTITIONS", "6"))
GROUP = os.environ.get("GROUP", TOPIC + "-readers")
RATE = int(os.environ.get("RATE", "200"))
RESULTS = os.environ.get("RESULTS", "/results")
RUN = int(os.environ.get("RUN", str(time.time_ns() // 1_000_000)))

MOST_UNANSWERED = 2_000
TICK_S = 0.05
FLUSH_PATIENCE_S = 20
CATCH_UP_PATIENCE_S = 15
COMMIT_EVERY_S = 1.0

stopping = threading.Event()
flushed = threading.Event()
# By partition: one past the last acknowledged offset. Written by the producer's thread, read by the consumer's.
acknowledged_end = [0] * PARTITIONS


class Results:
    """A file of lines, each written with one call."""

    def __init__(self, role):
        path = os.path.join(RESULTS, f"{LANGUAGE}-{RUN}-{role}.jsonl")
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self.last_trouble = 0.0
        self.write("started", language=LANGUAGE, topic=TOPIC, run=RUN, group=GROUP)

    def write(self, event, **fields):
        line = json.dumps({"event": event, "at": now_ms(), **fields}, separators=(",", ":")) + "\n"
        os.write(self.file, line.encode())

    def trouble(self, error):
        if time.monotonic() - self.last_trouble > 0.1:
            self.last_trouble = time.monotonic()
            self.write("trouble", error=str(error))


def now_ms():
    return time.time_ns() // 1_000_000


def encode(partition, sequence):
    filler = chr(ord("a") + sequence % 26) * (50 + 31 * sequence % 200)
    text = f"{LANGUAGE} {TOPIC} {partition} {RUN} {sequence} {filler}".encode()
    return text + b" %08x" % zlib.crc32(text)


def decode(value, partition):
    """Run and sequence, or None if the value is not as it was sent, or not sent here."""
    text, _, crc = value.rpartition(b" ")
    if crc != b"%08x" % zlib.crc32(text):
        return None
    fields = text.decode().split(" ")
    if fields[1] != TOPIC or int(fields[2]) != partition:
        return None
    return int(fields[3]), int(fields[4])


class Sender:
    def __init__(self):
        self.results = Results("producer")
        self.next_sequence = [0] * PARTITIONS
        self.unanswered = 0
        self.acknowledged = 0
        self.producer = self.connect()

    def connect(self):
        return Producer({
            "bootstrap.servers": BOOTSTRAP,
            "client.id": LANGUAGE,
            "enable.idempotence": True,
            "acks": "all",
            "message.timeout.ms": 0,
            "linger.ms": 5,
            "socket.timeout.ms": 10_000,
            "request.timeout.ms": 10_000,
            "reconnect.backoff.max.ms": 500,
            "retry.backoff.max.ms": 500,
            "topic.metadata.refresh.interval.ms": 10_000,
            "error_cb": self.results.trouble,
        })

    def run(self):
        partition = 0
        count = max(1, round(RATE * TICK_S))
        tick = time.monotonic()
        while not stopping.is_set():
            if self.unanswered + count <= MOST_UNANSWERED:
                self.send(partition, count)
                partition = (partition + 1) % PARTITIONS
            tick = max(tick + TICK_S, time.monotonic() - 1)
            stopping.wait(max(0.0, tick - time.monotonic()))
            # Takes all available answers once per tick: waiting for each would use more CPU time than everything else.
            self.producer.poll(0)
            self.replace_if_dead()
        self.producer.flush(FLUSH_PATIENCE_S)
        self.results.write("ended", records=self.acknowledged, unfinished=self.unanswered)
        flushed.set()

    def send(self, partition, count):
        first = self.next_sequence[partition]
        self.next_sequence[partition] = first + count
        self.results.write("sending", partition=partition, sequence=first, count=count)
        for sequence in range(first, first + count):
            self.unanswered += 1
            self.producer.produce(TOPIC, encode(partition, sequence), partition=partition, on_delivery=self.answer(partition, sequence))

    def answer(self, partition, sequence):
        def answered(error, message):
            self.unanswered -= 1
            if error is not None:
                self.results.write("given-up", partition=partition, sequence=sequence, error=str(error))
                return
            offset = message.offset()
            offset = -1 if offset is None or offset < 0 else offset
            self.acknowledged += 1
            acknowledged_end[partition] = max(acknowledged_end[partition], offset + 1)
            self.results.write("acknowledged", partition=partition, sequence=sequence, offset=offset)

        return answered

    def replace_if_dead(self):
        """After a fatal error a producer takes nothing more, ever."""
        fatal = self.producer.get_fatal_error() if hasattr(self.producer, "get_fatal_error") else None
        if fatal is None:
            return
        self.results.write("trouble", error=f"fatal: {fatal}")
        self.producer.purge()
        self.producer.flush(1)
        self.producer = self.connect()


class Reader:
    def __init__(self):
        self.results = Results("consumer")
        self.read = 0
        # By partition of the current assignment: the next offset.
        self.positions = {}
        # By partition: one past the last offset ever read.
        self.read_end = [0] * PARTITIONS
        self.committed = {}

    def run(self):
        consumer = Consumer({
            "bootstrap.servers": BOOTSTRAP,
            "client.id": LANGUAGE,
            "group.id": GROUP,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "session.timeout.ms": 10_000,
            "socket.timeout.ms": 10_000,
            "reconnect.backoff.max.ms": 500,
            "topic.metadata.refresh.interval.ms": 10_000,
            "error_cb": self.results.trouble,
        })
        consumer.subscribe([TOPIC], on_assign=self.assigned, on_revoke=self.revoked, on_lost=self.lost)
        last_commit = time.monotonic()
        give_up = None
        while give_up is None or (self.behind() > 0 and time.monotonic() < give_up):
            message = consumer.poll(0.1)
            if message is not None:
                self.take(message)
            if time.monotonic() - last_commit >= COMMIT_EVERY_S:
                self.commit(consumer)
                last_commit = time.monotonic()
            if give_up is None and flushed.is_set():
                give_up = time.monotonic() + CATCH_UP_PATIENCE_S
        self.commit(consumer)
        consumer.close()
        self.results.write("ended", records=self.read, unfinished=self.behind())

    def behind(self):
        return sum(max(0, end - read) for end, read in zip(acknowledged_end, self.read_end))

    def take(self, message):
        if message.error() is not None:
            self.results.trouble(message.error())
            return
        partition, offset = message.partition(), message.offset()
        decoded = decode(message.value(), partition)
        run, sequence = decoded or (-1, -1)
        self.results.write("read", partition=partition, offset=offset, run=run, sequence=sequence, intact=decoded is not None)
        self.read += 1
        self.positions[partition] = offset + 1
        self.read_end[partition] = max(self.read_end[partition], offset + 1)

    def commit(self, consumer):
        moved = {partition: offset for partition, offset in self.positions.items() if self.committed.get(partition) != offset}
        if not moved:
            return
        since = now_ms()
        offsets = {str(partition): offset for partition, offset in moved.items()}
        try:
            answers = consumer.commit(offsets=[TopicPartition(TOPIC, p, o) for p, o in moved.items()], asynchronous=False)
            refused = [str(answer.error) for answer in answers if answer.error is not None]
            if refused:
                self.results.write("committed", since=since, offsets=offsets, outcome="unknown", error=refused[0])
                return
            self.results.write("committed", since=since, offsets=offsets, outcome="ok")
            self.committed.update(moved)
        except KafkaException as error:
            self.results.write("committed", since=since, offsets=offsets, outcome="unknown", error=str(error))

    def assigned(self, _consumer, partitions):
        self.results.write("assigned", partitions=[each.partition for each in partitions])

    def revoked(self, consumer, partitions):
        self.commit(consumer)
        self.lost(consumer, partitions)

    def lost(self, _consumer, partitions):
        self.results.write("revoked", partitions=[each.partition for each in partitions])
        for each in partitions:
            self.positions.pop(each.partition, None)
            self.committed.pop(each.partition, None)


def guarded(role):
    def run():
        try:
            role.run()
        except BaseException as error:  # A bug of this program; nothing else may end it.
            role.results.write("crashed", error=repr(error))
            sys.stderr.write(f"{error!r}\n")
            os._exit(1)

    return run


def main():
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    threads = [threading.Thread(target=guarded(role)) for role in (Sender(), Reader())]
    for thread in threads:
        thread.start()
    for thread in threads:
        # With a deadline, so that signals are handled meanwhile.
        while thread.is_alive():
            thread.join(0.2)


main()
