// Steps that look at one job by its id, move it, change it or remove it.

export const movingVerbs = {
  async state(stage, { job: id }) {
    return (await stage.queue).getJobState(id);
  },

  async logs(stage, { job: id, start, end, newest_first: newestFirst = false }) {
    const queue = await stage.queue;
    const { logs, count } = await queue.getJobLogs(id, start, end, !newestFirst);
    return { rows: logs, total: count };
  },

  async clear_logs(stage, { job: id, keep }) {
    return attempt(async () => (await stage.job(id)).clearLogs(keep));
  },

  async update_data(stage, { job: id, data }) {
    return attempt(async () => (await stage.job(id)).updateData(data));
  },

  async promote(stage, { job: id }) {
    return attempt(async () => (await stage.job(id)).promote());
  },

  async change_delay(stage, { job: id, delay_ms: delayMs }) {
    return attempt(async () => (await stage.job(id)).changeDelay(delayMs));
  },

  async change_priority(stage, { job: id, priority, lifo }) {
    return attempt(async () => (await stage.job(id)).changePriority({ priority, lifo }));
  },

  async retry(stage, { job: id, state = "failed", reset = false }) {
    const anew = { resetAttemptsMade: reset, resetAttemptsStarted: reset };
    return attempt(async () => (await stage.job(id)).retry(state, anew));
  },

  async remove_pending_children(stage, { job: id }) {
    await (await stage.job(id)).removeUnprocessedChildren();
  },

  async leave_parent(stage, { job: id }) {
    const job = await stage.job(id);
    return job.parentKey ? job.removeChildDependency() : false;
  },

  async remove(stage, { job: id, children = true }) {
    const queue = await stage.queue;
    try {
      return (await queue.remove(id, { removeChildren: children })) === 1;
    } catch {
      return false;
    }
  },
};

// Whether it could be done: the messages of refusals are each side's own.
async function attempt(action) {
  try {
    await action();
    return true;
  } catch {
    return false;
  }
}
