import { parseArgs } from "node:util";

/** What the soaks of the feeds take. */
export interface FeedSoakOptions {
  readonly times: number;
  readonly seed: number;
  readonly perMinute: number;
  readonly stores: readonly ("sqlite" | "redis")[];
  /** How long Discord remembers a nonce, one run each. */
  readonly noncesMs: readonly number[];
}

/** Throws on an option that it does not know. */
export function feedSoakOptions(
  args: readonly string[],
  defaults: { readonly times: number; readonly stores: string; readonly nonces: string },
): FeedSoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      times: { type: "string", default: String(defaults.times) },
      seed: { type: "string", default: "1" },
      "per-minute": { type: "string", default: "240" },
      /** sqlite, redis, or both with a comma. */
      stores: { type: "string", default: defaults.stores },
      /** Seconds, with commas. */
      nonces: { type: "string", default: defaults.nonces },
    },
  });
  return {
    times: Number(values.times),
    seed: Number(values.seed),
    perMinute: Number(values["per-minute"]),
    stores: values.stores.split(",").map((name) => {
      if (name !== "sqlite" && name !== "redis") throw new Error(`no store is called ${name}`);
      return name;
    }),
    noncesMs: values.nonces.split(",").map((seconds) => Number(seconds) * 1_000),
  };
}
