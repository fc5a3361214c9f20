// Steps that take a job and settle it by hand. Each answers whether the lock was still there.

import { toWorkerOptions } from "./options.mjs";

let takes = 0;

export const byHandVerbs = {
  async take(stage, { worker: name, worker_options: options }) {
    const worker = await stage.idleWorker(name, toWorkerOptions(options));
    const job = await worker.getNextJob(`${name}:by hand:${takes++}`, { block: false });
    if (!job) return null;
    stage.claimed.set(job.id, { job, worker });
    return job.id;
  },

  async hand_complete(stage, { job: id, value }) {
    return settle(stage, id, (job) => job.moveToCompleted(value, job.token, false));
  },

  async hand_fail(stage, { job: id, error, final = false }) {
    const raised = final ? stage.finalError(error) : new Error(error);
    return settle(stage, id, (job) => job.moveToFailed(raised, job.token, false));
  },

  async hand_delay(stage, { job: id, delay_ms: delayMs }) {
    return settle(stage, id, (job) => job.moveToDelayed(Date.now() + delayMs, job.token));
  },

  async hand_give_back(stage, { job: id }) {
    return settle(stage, id, (job) => job.moveToWait(job.token));
  },

  async hand_renew(stage, { job: id, lock_ms: lockMs }) {
    const { job } = stage.claimed.get(id);
    return (await job.extendLock(job.token, lockMs)) === 1;
  },

  async hand_wait_for_children(stage, { job: id }) {
    const { job } = stage.claimed.get(id);
    return job.moveToWaitingChildren(job.token);
  },
};

async function settle(stage, id, action) {
  try {
    await action(stage.claimed.get(id).job);
    return true;
  } catch {
    return false;
  }
}
