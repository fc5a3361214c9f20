// Steps that look at a queue and what happens to it.

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

export const lookingVerbs = {
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
