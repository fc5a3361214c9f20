// Scenario files spell options in snake_case with their unit (`delay_ms`); BullMQ wants camelCase.

const UNIT = /_(ms|s)$/;

const camel = (key) => key.replace(UNIT, "").replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

// A worker whose pauses for backoffs of their own kind are so long, times the attempts that failed.
export function toWorkerOptions(options) {
  const { backoffFactor, ...others } = toBullOptions(options ?? {});
  if (!backoffFactor) return others;
  const backoffStrategy = (attempts) => attempts * backoffFactor;
  return { ...others, settings: { backoffStrategy } };
}

export function toBullOptions(options) {
  if (options === null || typeof options !== "object") return options;
  return Object.fromEntries(
    Object.entries(options).map(([key, value]) => [camel(key), toBullOptions(value)]),
  );
}
