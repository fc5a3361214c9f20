// Scenario files spell options in snake_case with their unit (`delay_ms`); BullMQ wants camelCase.

const UNIT = /_(ms|s)$/;

const camel = (key) => key.replace(UNIT, "").replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

export function toBullOptions(options) {
  if (options === null || typeof options !== "object") return options;
  return Object.fromEntries(
    Object.entries(options).map(([key, value]) => [camel(key), toBullOptions(value)]),
  );
}
