// What is done to all jobs of a queue at once: pause, clear, and move them back.

import { toBullOptions } from "./options.mjs";

export const queueMoves = {
  async pause(stage) {
    await (await stage.queue).pause();
  },

  async resume(stage) {
    await (await stage.queue).resume();
  },

  async is_paused(stage) {
    return (await stage.queue).isPaused();
  },

  // Ends with a resume, so that whoever of several storms is last leaves the queue running.
  async pause_storm(stage, { rounds, name, data, options }) {
    const queue = await stage.queue;
    for (let round = 0; round < rounds; round++) {
      await queue.pause();
      await queue.add(name, data, toBullOptions(options));
      await queue.resume();
      await queue.add(name, data, toBullOptions(options));
    }
  },

  async drain(stage, { delayed = false }) {
    await (await stage.queue).drain(delayed);
  },

  // Only with `force` may jobs run.
  async obliterate(stage, { force = true }) {
    try {
      await (await stage.queue).obliterate({ force });
    } catch (error) {
      return { error: error.message };
    }
  },

  async clean(stage, { state, grace_ms: graceMs = 0, limit = 0 }) {
    return (await (await stage.queue).clean(graceMs, limit, state)).sort();
  },

  async trim_events(stage, { max_length: maxLength }) {
    await (await stage.queue).trimEvents(maxLength);
  },

  async retry_all(stage, { state, before_ms: timestamp }) {
    await (await stage.queue).retryJobs({ state, timestamp });
  },

  async promote_all(stage) {
    await (await stage.queue).promoteJobs();
  },
};
