// What cancelling a job comes to in Node, which has no such thing: removing one that does not run.

export const cancellingVerbs = {
  async cancel(stage, { job: id }) {
    const job = await (await stage.queue).getJob(id);
    if (!job) return "missing";
    const state = await job.getState();
    if (state === "completed" || state === "failed") return state;
    try {
      await job.remove();
      return "removed";
    } catch {
      return "refused";
    }
  },
};
