// One function per step of a scenario. Each gets the stage and the step, and answers plain JSON.

import { cancellingVerbs } from "./cancelling_verbs.mjs";
import { byHandVerbs } from "./by_hand_verbs.mjs";
import { familyVerbs } from "./family_verbs.mjs";
import { handle } from "./handler.mjs";
import { limitVerbs } from "./limit_verbs.mjs";
import { lookingVerbs } from "./looking_verbs.mjs";
import { movingVerbs } from "./moving_verbs.mjs";
import { toBullOptions, toWorkerOptions } from "./options.mjs";
import { queueMoves } from "./queue_moves_verbs.mjs";

const STATES = ["active", "completed", "delayed", "failed", "paused", "prioritized", "waiting"];

let claims = 0;

export const verbs = {
  ...cancellingVerbs,
  ...limitVerbs,
  ...byHandVerbs,
  ...familyVerbs,
  ...lookingVerbs,
  ...movingVerbs,
  ...queueMoves,

  async add(stage, { name, data, options }) {
    const job = await (await stage.queue).add(name, data, toBullOptions(options));
    return job.id;
  },

  async add_many(stage, { jobs }) {
    const added = await (await stage.queue).addBulk(
      jobs.map(({ name, data, options }) => ({ name, data, opts: toBullOptions(options) })),
    );
    return added.map((job) => job.id);
  },

  async deduplication_owner(stage, { id }) {
    return (await stage.queue).getDeduplicationJobId(id);
  },

  async remove_deduplication(stage, { id }) {
    return (await (await stage.queue).removeDeduplicationKey(id)) === 1;
  },

  async counts(stage) {
    return (await stage.queue).getJobCounts(...STATES);
  },

  async read(stage, { job: id }) {
    const job = await stage.job(id);
    return {
      name: job.name,
      data: job.data,
      result: job.returnvalue ?? null,
      failed_reason: job.failedReason ?? null,
      attempts_made: job.attemptsMade,
    };
  },

  async claim(stage, { worker: name, worker_options: options }) {
    const worker = await stage.idleWorker(name, toWorkerOptions(options));
    const token = `${name}:${claims++}`;
    return remember(stage, worker, await worker.getNextJob(token, { block: false }));
  },

  async complete(stage, { job: id, value, fetch = false }) {
    const { job, worker } = claimed(stage, id);
    const next = await job.moveToCompleted(value, job.token, fetch);
    return rememberNext(stage, worker, next, job.token);
  },

  async fail(stage, { job: id, error, final = false, fetch = false }) {
    const { job, worker } = claimed(stage, id);
    const raised = final ? stage.finalError(error) : new Error(error);
    const next = await job.moveToFailed(raised, job.token, fetch);
    return rememberNext(stage, worker, next, job.token);
  },

  async renew(stage, { job: id, lock_ms: lockMs }) {
    const { job } = claimed(stage, id);
    return (await job.extendLock(job.token, lockMs)) === 1;
  },

  async check_stalled(stage, { worker: name, worker_options: options }) {
    const worker = await stage.idleWorker(name, toWorkerOptions(options));
    const stalled = [];
    const note = (id) => stalled.push(id);
    worker.on("stalled", note);
    await worker.moveStalledJobsToWait();
    worker.off("stalled", note);
    return stalled;
  },

  async start_worker(stage, { worker: name, worker_options: options }) {
    const handled = [];
    const noting = async (job) => {
      handled.push(job.id);
      return handle(job);
    };
    const worker = await stage.startWorker(name, noting, toWorkerOptions(options));
    worker.handled = handled;
  },

  async stop_worker(stage, { worker: name }) {
    return (await stage.stopWorker(name)).handled;
  },

  async result(stage, { job: id, timeout_ms: timeoutMs }) {
    const events = await stage.events;
    const job = await stage.job(id);
    try {
      return { value: (await job.waitUntilFinished(events, timeoutMs)) ?? null };
    } catch (error) {
      return { error: error.message };
    }
  },

  async progress(stage, { job: id, value }) {
    await (await stage.job(id)).updateProgress(value);
  },

  async log(stage, { job: id, row }) {
    await (await stage.job(id)).log(row);
  },
};

function remember(stage, worker, job) {
  if (!job) return null;
  stage.claimed.set(job.id, { job, worker });
  return job.id;
}

async function rememberNext(stage, worker, reply, token) {
  if (!Array.isArray(reply)) return null;
  const [data, id] = reply;
  return remember(stage, worker, await worker.nextJobFromJobData(data, id, token));
}

function claimed(stage, id) {
  const claim = stage.claimed.get(id);
  if (!claim) throw new Error(`job ${id} was not claimed here`);
  return claim;
}
