// Steps that set the limits of a queue, or look at them.

export const limitVerbs = {
  async set_global_concurrency(stage, { concurrency }) {
    await (await stage.queue).setGlobalConcurrency(concurrency);
  },

  async remove_global_concurrency(stage) {
    await (await stage.queue).removeGlobalConcurrency();
  },

  async set_global_rate_limit(stage, { max, duration_ms: durationMs }) {
    await (await stage.queue).setGlobalRateLimit(max, durationMs);
  },

  async remove_global_rate_limit(stage) {
    await (await stage.queue).removeGlobalRateLimit();
  },

  async rate_limit(stage, { duration_ms: durationMs }) {
    await (await stage.queue).rateLimit(durationMs);
  },

  // As a worker does it whose processor throws a RateLimitError.
  async rest(stage, { job: id, for_ms: forMs }) {
    const { job, worker } = stage.claimed.get(id);
    await worker.rateLimit(forMs);
    await job.moveToWait(job.token);
  },

  async remove_rate_limit(stage) {
    await (await stage.queue).removeRateLimitKey();
  },

  // Times go by: only whether there is one is the same on both sides.
  async limits(stage, { max }) {
    const queue = await stage.queue;
    const rate = await queue.getGlobalRateLimit();
    return {
      concurrency: await queue.getGlobalConcurrency(),
      rate_limit: rate && { max: rate.max, duration_ms: rate.duration },
      is_limited: (await queue.getRateLimitTtl(max)) > 0,
      is_maxed: await queue.isMaxed(),
    };
  },
};
