// Node BullMQ as a subject of the benchmarks: a request per line in, a reply per line out.
// usage: node node.mjs <folder with node_modules> <package>

import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { resolve as absolute } from "node:path";

const require = createRequire(absolute(process.argv[2], "package.json"));
const { Queue, Worker } = require(process.argv[3]);

const seconds = () => Number(process.hrtime.bigint()) / 1e9;
const wallMs = () => performance.timeOrigin + performance.now();
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

function connectionOf({ port }) {
  return { host: "127.0.0.1", port, maxRetriesPerRequest: null };
}

// Work `warm` jobs, then measure `count` more: from the first start to the last completion.
function process_({ port, queue, warm, count, concurrency }) {
  return new Promise((resolve, reject) => {
    let started = 0;
    let completed = 0;
    let began;
    let cpu;
    const worker = new Worker(
      queue,
      async () => {
        if (started++ === warm) {
          began = seconds();
          cpu = cpuSeconds();
        }
      },
      { connection: connectionOf({ port }), concurrency },
    );
    worker.on("error", reject);
    worker.on("completed", async () => {
      if (++completed < warm + count) return;
      const took = { seconds: seconds() - began, cpu_seconds: cpuSeconds() - cpu };
      await worker.close();
      resolve(took);
    });
  });
}

async function addOneByOne({ port, queue, warm, count, in_flight }) {
  const target = new Queue(queue, { connection: connectionOf({ port }) });
  await target.waitUntilReady();
  const add = async (many) => {
    let left = many;
    const lane = async () => {
      while (left-- > 0) await target.add("n", { n: left });
    };
    await Promise.all(Array.from({ length: in_flight }, lane));
  };
  await add(warm);
  const began = seconds();
  await add(count);
  const took = { seconds: seconds() - began };
  await target.close();
  return took;
}

async function addInBulk({ port, queue, warm, count, chunk }) {
  const target = new Queue(queue, { connection: connectionOf({ port }) });
  await target.waitUntilReady();
  const jobs = Array.from({ length: chunk }, (_, n) => ({ name: "n", data: { n } }));
  const add = async (many) => {
    for (let done = 0; done < many; done += chunk) await target.addBulk(jobs);
  };
  await add(warm);
  const began = seconds();
  await add(count);
  const took = { seconds: seconds() - began };
  await target.close();
  return took;
}

let listener;

// Note when each job begins, by its number, until `heard` takes the notes away.
async function listen({ port, queue, concurrency, delay_ms }) {
  const begun = new Map();
  const worker = new Worker(
    queue,
    async (job) => {
      begun.set(job.data.n, { at: seconds(), late_ms: wallMs() - job.timestamp - delay_ms });
    },
    { connection: connectionOf({ port }), concurrency },
  );
  await worker.waitUntilReady();
  await sleep(200);
  listener = { begun, worker };
  return {};
}

async function heard() {
  const { begun, worker } = listener;
  await worker.close();
  return Object.fromEntries(begun);
}

// Add a job now and then, and note the moment before each call.
async function knock({ port, queue, count, pause_ms, delay_ms }) {
  const target = new Queue(queue, { connection: connectionOf({ port }) });
  await target.waitUntilReady();
  const called = {};
  for (let n = 0; n < count; n++) {
    called[n] = seconds();
    await target.add("n", { n }, delay_ms ? { delay: delay_ms } : {});
    await sleep(pause_ms + Math.random() * pause_ms);
  }
  await target.close();
  return called;
}

const verbs = {
  process: process_,
  add_one_by_one: addOneByOne,
  add_in_bulk: addInBulk,
  listen,
  heard,
  knock,
};

const lines = createInterface({ input: process.stdin });
lines.on("line", async (line) => {
  const { verb, ...request } = JSON.parse(line);
  let reply;
  try {
    reply = { value: await verbs[verb](request) };
  } catch (error) {
    reply = { error: String(error.stack ?? error) };
  }
  process.stdout.write(`${JSON.stringify(reply)}\n`);
});
lines.on("close", () => process.exit(0));
