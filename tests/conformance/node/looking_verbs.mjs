// Steps that look at a queue and what happens to it.

import { setTimeout } from "node:timers/promises";

// What an event says besides the job that it is about. Times go by, so they are left out.
const SAYS = {
  active: (told) => told.prev,
  added: (told) => told.name,
  cleaned: (told) => Number(told.count),
  completed: (told) => told.returnvalue,
  debounced: (told) => told.debounceId,
  deduplicated: (told) => [told.deduplicationId, told.deduplicatedJobId],
  delayed: () => null,
  drained: () => null,
  duplicated: () => null,
  failed: (told) => told.failedReason,
  paused: () => null,
  progress: (told) => told.data,
  removed: (told) => told.prev,
  resumed: () => null,
  "retries-exhausted": (told) => Number(told.attemptsMade),
  "sold-out": (told) => told.item,
  stalled: () => null,
  waiting: (told) => told.prev ?? null,
  "waiting-children": (told) => told.prev ?? null,
};

const GETTERS = {
  waiting: "getWaiting",
  active: "getActive",
  prioritized: "getPrioritized",
  delayed: "getDelayed",
  completed: "getCompleted",
  failed: "getFailed",
  "waiting-children": "getWaitingChildren",
};

export const lookingVerbs = {
  // One state has an order of its own, unless the step says which.
  async list(stage, { states = [], start = 0, limit = 100, newest_first: newestFirst }) {
    const queue = await stage.queue;
    const end = start + limit - 1;
    const jobs =
      newestFirst === undefined
        ? await queue[GETTERS[states[0]]](start, end)
        : await queue.getJobs(states, start, end, !newestFirst);
    return jobs.map((job) => job.id);
  },

  async counts_per_priority(stage, { priorities }) {
    return (await stage.queue).getCountsPerPriority(priorities);
  },

  // The names of so many workers, once they are connected.
  async workers(stage, { count }) {
    const queue = await stage.queue;
    for (;;) {
      const names = (await queue.getWorkers()).map(({ rawname }) => rawname.split(":w:")[1] ?? "");
      if (names.length === count) return names.sort();
      await setTimeout(10);
    }
  },

  async metrics(stage, { kind, start = 0, limit = 1440 }) {
    const metrics = await (await stage.queue).getMetrics(kind, start, start + limit - 1);
    return {
      total: metrics.meta.count,
      per_minute: metrics.data.map(Number),
      minutes: metrics.count,
      open_count: metrics.meta.count - metrics.meta.prevCount,
    };
  },

  async count_all(stage) {
    const { paused = 0, ...counts } = await (await stage.queue).getJobCounts();
    return { paused, ...counts };
  },

  async events(stage, { count }) {
    const events = stage.followed();
    const told = [];
    const enough = new Promise((resolve) => {
      for (const [event, says] of Object.entries(SAYS)) {
        events.on(event, (entry) => {
          const about = entry instanceof Object ? entry : {};
          told.push([event, about.jobId ?? null, says(about)]);
          if (told.length === count) resolve();
        });
      }
    });
    const running = events.run();
    await enough;
    await events.close();
    await running;
    return told;
  },

  // An event of one's own, as any client may add it.
  async publish(stage, { event, fields }) {
    await (await stage.producer).publishEvent({ eventName: event, ...fields });
  },
};
