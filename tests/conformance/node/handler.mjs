// What a job does is written in its own data, so that toril's handler can do exactly the same.

import { setTimeout as sleep } from "node:timers/promises";

// Jobs that run one after the other end in different milliseconds: what follows may show it.
const SHORTEST_RUN_MS = 3;

export async function handle(job) {
  const script = job.data ?? {};
  await sleep(Math.max(script.hold_ms ?? 0, SHORTEST_RUN_MS));
  if (job.attemptsMade < (script.fail ?? 0)) throw new Error(script.error ?? "boom");
  return script.return;
}
