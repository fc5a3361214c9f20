// Steps that look at one job by its id, move it, change it or remove it.

export const movingVerbs = {
  async state(stage, { job: id }) {
    return (await stage.queue).getJobState(id);
  },
};
