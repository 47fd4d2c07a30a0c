// Produces lines or consumes records with kafkajs; LanguageClient describes the arguments.
// With SASL_USERNAME and SASL_PASSWORD it logs in by PLAIN.
const fs = require('fs');
const readline = require('readline');
const { Kafka, logLevel } = require('kafkajs');

const PATIENCE_MS = 45000;
const BATCH = 500;
const [bootstrap, topic, action, group, count] = process.argv.slice(2);
const username = process.env.SASL_USERNAME;
const sasl = username && { mechanism: 'plain', username, password: process.env.SASL_PASSWORD };
const kafka = new Kafka({ clientId: 'slipstream-test', brokers: [bootstrap], logLevel: logLevel.ERROR, sasl });

function fail(reason) {
  console.error(reason);
  process.exit(1);
}

async function produce() {
  const producer = kafka.producer();
  await producer.connect();
  const lines = fs.readFileSync(0, 'utf8').split('\n').filter((line) => line.length > 0);
  for (let i = 0; i < lines.length; i += BATCH) {
    const partition = (i / BATCH) % 3;
    await producer.send({ topic, messages: lines.slice(i, i + BATCH).map((value) => ({ value, partition })) });
  }
  await producer.disconnect();
}

// Sends each line when it comes.
async function lines() {
  const producer = kafka.producer();
  await producer.connect();
  for await (const value of readline.createInterface({ input: process.stdin })) {
    await producer.send({ topic, messages: [{ value }] });
  }
  await producer.disconnect();
}

async function consume() {
  const consumer = kafka.consumer({ groupId: group, maxWaitTimeInMs: 200 });
  const lines = [];
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await new Promise((resolve) => {
    setTimeout(() => fail(`only ${lines.length} of ${count} records came`), PATIENCE_MS).unref();
    consumer.run({
      eachMessage: async ({ partition, message }) => {
        lines.push(`${partition}\t${message.value.toString()}`);
        if (lines.length === Number(count)) resolve();
      },
    }).catch(fail);
  });
  await consumer.disconnect();
  process.stdout.write(lines.join('\n') + '\n');
}

({ produce, lines, consume })[action]().catch(fail);
