// Steps about jobs that have children: whole flows, and parents that wait.

import { toBullOptions } from "./options.mjs";

export const familyVerbs = {
  async add_flow(stage, { flow }) {
    const { job } = await (await stage.flows).add(toFlow(stage, flow));
    return job.id;
  },

  async wait_for_children(stage, { job: id }) {
    const { job } = stage.claimed.get(id);
    return job.moveToWaitingChildren(job.token);
  },
};

function toFlow(stage, { queue = stage.queueName, name, data, options, children = [] }) {
  return {
    name,
    data,
    queueName: queue,
    opts: toBullOptions(options),
    children: children.map((child) => toFlow(stage, child)),
  };
}
