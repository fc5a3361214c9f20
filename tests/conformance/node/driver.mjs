// The Node side of the conformance tests: one JSON request per line in, one JSON reply per line out.
// usage: node driver.mjs <package>   (bullmq5, bullmq5new or bullmq6)

import { createInterface } from "node:readline";
import { Stage } from "./stage.mjs";
import { verbs } from "./verbs.mjs";

const bull = await import(process.argv[2]);
const stages = new Map();

async function run({ verb, port, queue, step }) {
  if (verb === "close") return closeAll();
  const key = `${port}/${queue}`;
  if (!stages.has(key)) stages.set(key, new Stage(bull, port, queue));
  return verbs[verb](stages.get(key), step);
}

async function closeAll() {
  const open = [...stages.values()];
  stages.clear();
  await Promise.all(open.map((stage) => stage.close()));
}

async function answer(line) {
  const request = JSON.parse(line);
  let reply;
  try {
    reply = { id: request.id, value: (await run(request)) ?? null };
  } catch (error) {
    reply = { id: request.id, error: error.stack ?? String(error) };
  }
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}

const lines = createInterface({ input: process.stdin });
lines.on("line", answer);
lines.on("close", () => process.exit(0));
