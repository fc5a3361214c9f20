// What a job does is written in its own data, so that toril's handler can do exactly the same.

import { setTimeout as sleep } from "node:timers/promises";

export async function handle(job) {
  const script = job.data ?? {};
  if (script.hold_ms) await sleep(script.hold_ms);
  if (job.attemptsMade < (script.fail ?? 0)) throw new Error(script.error ?? "boom");
  return script.return;
}
