// The twin of worker.py: a worker of one version of BullMQ, whose handler writes down what it does.
// usage: node node_worker.mjs <folder of the packages> <options as JSON>

import { openSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";

const [folder, text] = process.argv.slice(2);
const options = JSON.parse(text);
const { Queue, Worker } = createRequire(`${folder}/`)(options.node);
const { port } = new URL(options.url);
const connection = { host: "127.0.0.1", port: Number(port), maxRetriesPerRequest: null };
const name = `{${options.queue}}`;
const file = openSync(options.journal, "a");

function write(what, subject, number = 0, note = "") {
  const wallNs = BigInt(Date.now()) * 1_000_000n;
  const words = String(note).split(/\s+/).join(" ");
  const fields = [what, subject, number, process.pid, process.hrtime.bigint(), wallNs, words];
  writeSync(file, `${fields.join("\t").slice(0, 4000)}\n`);
}

// The number of a start is how often the job was started by now.
async function handle(job) {
  const number = job.attemptsStarted;
  write("began", job.id, number);
  await sleep(job.data.for * 1000);
  write("ended", job.id, number, "done");
}

// Ends with a resume, so that of many who storm the last one leaves the queue running.
async function storm(queue) {
  while (!isLeaving) {
    await queue.pause();
    await sleep(Math.random() * options.storms * 1000);
    await queue.resume();
    await sleep(Math.random() * options.storms * 1000);
  }
  await queue.close();
}

let isLeaving = false;
const { lock, stalled_interval: stalledInterval, concurrency } = options.settings;
const worker = new Worker(name, handle, {
  connection,
  name: options.name,
  concurrency,
  lockDuration: lock * 1000,
  stalledInterval: stalledInterval * 1000,
});
worker.on("error", (error) => write("trouble", options.name, 0, error.message));
await worker.waitUntilReady();

let storming;
if (options.storms) {
  const queue = new Queue(name, { connection, skipMetasUpdate: true });
  queue.on("error", (error) => write("trouble", options.name, 0, error.message));
  storming = storm(queue);
}

process.on("SIGTERM", async () => {
  isLeaving = true;
  await storming;
  await worker.close();
  write("left", options.name);
  process.exit(0);
});
write("ready", options.name);
