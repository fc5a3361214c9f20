// Everything one scenario opens on one server and queue: made when first needed, closed together.

export class Stage {
  #bull;
  #connection;
  #queueName;
  #opened = new Map();

  constructor(bull, port, queueName) {
    this.#bull = bull;
    this.#connection = { host: "127.0.0.1", port, maxRetriesPerRequest: null };
    this.#queueName = queueName;
    this.claimed = new Map();
  }

  get queue() {
    return this.#once("queue", () => new this.#bull.Queue(this.#queueName, this.#options()));
  }

  get queueName() {
    return this.#queueName;
  }

  get flows() {
    return this.#once("flows", () => new this.#bull.FlowProducer(this.#options()));
  }

  get events() {
    return this.#once("events", () => new this.#bull.QueueEvents(this.#queueName, this.#options()));
  }

  // From the first event that the queue keeps; whoever asked closes it.
  followed() {
    const options = this.#options({ lastEventId: "0-0", autorun: false });
    return new this.#bull.QueueEvents(this.#queueName, options);
  }

  get producer() {
    const make = () => new this.#bull.QueueEventsProducer(this.#queueName, this.#options());
    return this.#once("producer", make);
  }

  // A worker that does nothing by itself: each step asks it for one thing.
  idleWorker(name, options) {
    const make = () => this.#worker(null, { name, autorun: false, ...options });
    return this.#once(`idle ${name}`, make);
  }

  startWorker(name, handler, options) {
    return this.#once(`running ${name}`, () => this.#worker(handler, { name, ...options }));
  }

  async stopWorker(name) {
    const worker = await this.startWorker(name);
    this.#opened.delete(`running ${name}`);
    await worker.close();
    return worker;
  }

  async job(id) {
    const job = await (await this.queue).getJob(id);
    if (!job) throw new Error(`there is no job ${id}`);
    return job;
  }

  finalError(message) {
    return new this.#bull.UnrecoverableError(message);
  }

  async close() {
    const everything = [...this.#opened.values()];
    this.#opened.clear();
    await Promise.all(everything.map(async (opened) => (await opened).close()));
  }

  #options(extra = {}) {
    return { connection: this.#connection, ...extra };
  }

  #worker(handler, options) {
    return new this.#bull.Worker(this.#queueName, handler, this.#options(options));
  }

  #once(key, make) {
    if (!this.#opened.has(key)) this.#opened.set(key, ready(make()));
    return this.#opened.get(key);
  }
}

async function ready(opened) {
  await opened.waitUntilReady();
  return opened;
}
