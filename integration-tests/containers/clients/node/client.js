// The workload client with kafkajs; ../README.md describes its behaviour and output.
const fs = require('fs');
const path = require('path');
const { Kafka, logLevel } = require('kafkajs');

const LANGUAGE = 'node';
const env = process.env;
const BOOTSTRAP = env.BOOTSTRAP_SERVERS || 'localhost:9092';
const TOPIC = env.TOPIC;
const PARTITIONS = Number(env.PARTITIONS || 6);
const GROUP = env.GROUP || `${TOPIC}-readers`;
const RATE = Number(env.RATE || 200);
const RESULTS = env.RESULTS || '/results';
const RUN = Number(env.RUN || Date.now());

const MOST_UNANSWERED = 2000;
const LARGEST_BATCH = 50;
const TICK_MS = 50;
const FLUSH_PATIENCE_MS = 20000;
const CATCH_UP_PATIENCE_MS = 15000;
const LAST_COMMIT_PATIENCE_MS = 8000;
const COMMIT_EVERY_MS = 1000;
const RETRY = { initialRetryTime: 100, maxRetryTime: 1000, retries: Number.MAX_SAFE_INTEGER };

if (!TOPIC) throw new Error('TOPIC is not set');

let stopping = false;
let flushed = false;
let onFlushed;
// With unlimited retries the library asks a former coordinator without end.
const noAnswerInTime = new Promise((resolve) => { onFlushed = resolve; })
  .then(() => sleep(LAST_COMMIT_PATIENCE_MS))
  .then(() => { throw new Error(`no answer within ${LAST_COMMIT_PATIENCE_MS} ms of the end`); });
noAnswerInTime.catch(() => {});
// By partition: one past the last acknowledged offset.
const acknowledgedEnd = new Array(PARTITIONS).fill(0);

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A file of lines, each written with one call. */
class Results {
  constructor(role) {
    this.file = fs.openSync(path.join(RESULTS, `${LANGUAGE}-${RUN}-${role}.jsonl`), 'a', 0o644);
    this.lastTrouble = 0;
    this.write('started', { language: LANGUAGE, topic: TOPIC, run: RUN, group: GROUP });
  }

  write(event, fields) {
    fs.writeSync(this.file, JSON.stringify({ event, at: Date.now(), ...fields }) + '\n');
  }

  trouble(error) {
    if (Date.now() - this.lastTrouble > 100) {
      this.lastTrouble = Date.now();
      this.write('trouble', { error: String(error) });
    }
  }
}

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 255];
  return (~crc >>> 0).toString(16).padStart(8, '0');
}

function encode(partition, sequence) {
  const filler = String.fromCharCode(97 + (sequence % 26)).repeat(50 + ((31 * sequence) % 200));
  const text = `${LANGUAGE} ${TOPIC} ${partition} ${RUN} ${sequence} ${filler}`;
  return `${text} ${crc32(Buffer.from(text))}`;
}

/** Run and sequence, or null if the value is not as it was sent, or not sent here. */
function decode(value, partition) {
  const end = value === null ? -1 : value.lastIndexOf(' ');
  if (end < 0 || value.subarray(end + 1).toString() !== crc32(value.subarray(0, end))) return null;
  const fields = value.subarray(0, end).toString().split(' ');
  if (fields[1] !== TOPIC || Number(fields[2]) !== partition) return null;
  return { run: Number(fields[3]), sequence: Number(fields[4]) };
}

function connectTo(results) {
  const logCreator = () => ({ log }) => results.trouble(`${log.message} ${log.error || ''}`);
  return new Kafka({
    clientId: LANGUAGE, brokers: [BOOTSTRAP], connectionTimeout: 3000, requestTimeout: 10000, retry: RETRY, logLevel: logLevel.ERROR, logCreator,
  });
}

/**
 * Each partition has one batch on its way at a time, since kafkajs numbers an idempotent producer's batches when they are sent. What comes due meanwhile goes with the next one.
 */
class Sender {
  constructor() {
    this.results = new Results('producer');
    this.nextSequence = new Array(PARTITIONS).fill(0);
    this.unanswered = 0;
    this.acknowledged = 0;
    this.due = new Array(PARTITIONS).fill(0);
    this.busy = new Array(PARTITIONS).fill(false);
    this.kafka = connectTo(this.results);
  }

  async connect() {
    const producer = this.kafka.producer({ idempotent: true, maxInFlightRequests: 5, allowAutoTopicCreation: false, metadataMaxAge: 10000, retry: RETRY });
    await producer.connect();
    return producer;
  }

  async run() {
    this.producer = await this.connect();
    const count = Math.max(1, Math.round((RATE * TICK_MS) / 1000));
    let partition = 0;
    let tick = Date.now();
    while (!stopping) {
      this.due[partition] = Math.min(this.due[partition] + count, Math.floor(MOST_UNANSWERED / PARTITIONS));
      if (!this.busy[partition]) this.sendDue(partition);
      partition = (partition + 1) % PARTITIONS;
      tick = Math.max(tick + TICK_MS, Date.now() - 1000);
      await sleep(Math.max(0, tick - Date.now()));
    }
    const giveUp = Date.now() + FLUSH_PATIENCE_MS;
    while (this.unanswered > 0 && Date.now() < giveUp) await sleep(10);
    this.results.write('ended', { records: this.acknowledged, unfinished: this.unanswered });
    flushed = true;
    onFlushed();
    await Promise.race([this.producer.disconnect(), sleep(2000)]);
  }

  async sendDue(partition) {
    this.busy[partition] = true;
    while (this.due[partition] > 0 && !stopping) {
      const count = Math.min(this.due[partition], LARGEST_BATCH);
      this.due[partition] -= count;
      await this.send(partition, count);
    }
    this.busy[partition] = false;
  }

  async send(partition, count) {
    const first = this.nextSequence[partition];
    this.nextSequence[partition] = first + count;
    this.unanswered += count;
    const messages = Array.from({ length: count }, (_, i) => ({ partition, value: encode(partition, first + i) }));
    const producer = this.producer;
    this.results.write('sending', { partition, sequence: first, count });
    try {
      const [answer] = await producer.send({ topic: TOPIC, acks: -1, messages });
      const base = Number(answer.baseOffset);
      for (let i = 0; i < count; i++) {
        this.results.write('acknowledged', { partition, sequence: first + i, offset: base < 0 ? -1 : base + i });
      }
      if (base >= 0) acknowledgedEnd[partition] = Math.max(acknowledgedEnd[partition], base + count);
      this.acknowledged += count;
    } catch (error) {
      for (let i = 0; i < count; i++) {
        this.results.write('given-up', { partition, sequence: first + i, error: String(error) });
      }
      await this.replace(producer);
    } finally {
      this.unanswered -= count;
    }
  }

  /** After a final error the library would give the next batch the sequence of the one it gave up, of which a broker may have taken some. */
  async replace(failed) {
    if (this.producer !== failed) return;
    this.replacing = this.replacing || this.connect().then((producer) => {
      this.producer = producer;
      this.replacing = null;
      failed.disconnect().catch((error) => this.results.trouble(error));
    });
    await this.replacing;
  }
}

class Reader {
  constructor() {
    this.results = new Results('consumer');
    this.read = 0;
    this.positions = new Map();
    this.committed = new Map();
    this.readEnd = new Array(PARTITIONS).fill(0);
    this.kafka = connectTo(this.results);
  }

  async run() {
    this.consumer = this.kafka.consumer({
      groupId: GROUP, sessionTimeout: 10000, rebalanceTimeout: 10000, heartbeatInterval: 1000, maxWaitTimeInMs: 500, metadataMaxAge: 10000,
      allowAutoTopicCreation: false, retry: { ...RETRY, restartOnFailure: async () => true },
    });
    const { GROUP_JOIN, REBALANCING, CRASH } = this.consumer.events;
    this.consumer.on(GROUP_JOIN, ({ payload }) => this.assigned(payload.memberAssignment[TOPIC] || []));
    this.consumer.on(REBALANCING, () => this.revoked());
    this.consumer.on(CRASH, ({ payload }) => {
      this.results.trouble(payload.error);
      this.revoked();
    });
    await this.consumer.connect();
    await this.consumer.subscribe({ topics: [TOPIC], fromBeginning: true });
    await this.consumer.run({ autoCommit: false, eachBatch: (delivery) => this.take(delivery) });
    let giveUp = Infinity;
    let lastCommit = Date.now();
    while (giveUp === Infinity || (this.behind() > 0 && Date.now() < giveUp)) {
      await sleep(TICK_MS);
      if (Date.now() - lastCommit >= COMMIT_EVERY_MS) {
        await this.commit();
        lastCommit = Date.now();
      }
      if (giveUp === Infinity && flushed) giveUp = Date.now() + CATCH_UP_PATIENCE_MS;
    }
    await this.commit();
    await Promise.race([this.consumer.stop(), sleep(LAST_COMMIT_PATIENCE_MS)]);
    this.results.write('ended', { records: this.read, unfinished: this.behind() });
    await Promise.race([this.consumer.disconnect(), sleep(2000)]);
  }

  behind() {
    return acknowledgedEnd.reduce((sum, end, partition) => sum + Math.max(0, end - this.readEnd[partition]), 0);
  }

  async take({ batch, resolveOffset, heartbeat, isRunning, isStale }) {
    const partition = batch.partition;
    // When a partition's leader moves, kafkajs may fetch one offset from both brokers and deliver both answers.
    const position = this.positions.get(partition) || 0;
    const fetchedAgain = Number(batch.fetchedOffset) < position;
    if (fetchedAgain) this.results.trouble(`kafkajs fetched partition ${partition} from ${batch.fetchedOffset} again`);
    for (const message of batch.messages) {
      if (!isRunning() || isStale()) break;
      const offset = Number(message.offset);
      if (fetchedAgain && offset < position) continue;
      const decoded = decode(message.value, partition) || { run: -1, sequence: -1 };
      this.results.write('read', { partition, offset, ...decoded, intact: decoded.run >= 0 });
      this.read++;
      this.positions.set(partition, offset + 1);
      this.readEnd[partition] = Math.max(this.readEnd[partition], offset + 1);
      resolveOffset(message.offset);
    }
    await heartbeat();
  }

  async commit() {
    const moved = [...this.positions].filter(([partition, offset]) => this.committed.get(partition) !== offset);
    if (moved.length === 0) return;
    const since = Date.now();
    const offsets = Object.fromEntries(moved);
    try {
      const asked = this.consumer.commitOffsets(moved.map(([partition, offset]) => ({ topic: TOPIC, partition, offset: String(offset) })));
      await Promise.race([asked, noAnswerInTime]);
      this.results.write('committed', { since, offsets, outcome: 'ok' });
      for (const [partition, offset] of moved) this.committed.set(partition, offset);
    } catch (error) {
      this.results.write('committed', { since, offsets, outcome: 'unknown', error: String(error) });
    }
  }

  assigned(partitions) {
    this.revoked();
    this.results.write('assigned', { partitions });
  }

  revoked() {
    if (this.positions.size > 0) this.results.write('revoked', { partitions: [...this.positions.keys()] });
    this.positions.clear();
    this.committed.clear();
  }
}

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.on(signal, () => {
    stopping = true;
    // The library has no way to stop its unlimited connection attempts.
    setTimeout(() => process.exit(1), FLUSH_PATIENCE_MS + CATCH_UP_PATIENCE_MS + 5000).unref();
  });
}

const roles = [new Sender(), new Reader()];
const guarded = async (role) => {
  try {
    await role.run();
  } catch (error) {
    role.results.write('crashed', { error: String(error.stack || error) });
    console.error(error);
    process.exit(1);
  }
};
Promise.all(roles.map(guarded)).then(() => process.exit(0));
