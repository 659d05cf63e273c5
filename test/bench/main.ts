import { parseArgs } from "node:util";
import type { Bench } from "./bench.ts";

/** Every bench by its name; a line here adds one. Loaded only when it is run. */
const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  limits: () => import("./limits.ts"),
  schedule: () => import("./schedule.ts"),
  delays: () => import("./delays.ts"),
  delivery: () => import("./delivery.ts"),
  commands: () => import("./commands.ts"),
  client: () => import("./client.ts"),
  ack: () => import("./ack.ts"),
  crowd: () => import("./crowd.ts"),
  footprint: () => import("./footprint.ts"),
  valkey: () => import("./valkey.ts"),
  history: () => import("./history.ts"),
  tenants: () => import("./tenants.ts"),
  disk: () => import("./disk.ts"),
  map: () => import("./map.ts"),
  alerts: () => import("./alerts.ts"),
  fleet: () => import("./fleet.ts"),
  posting: () => import("./posting.ts"),
  scrape: () => import("./scrape.ts"),
};

const { values, positionals } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !Object.hasOwn(benches, name));
if (values.help) {
  console.log(
    `npm run bench -- [NAME...] [--json], where NAME is one of: ${Object.keys(benches).join(", ")}.`,
  );
} else if (unknown.length > 0) {
  console.error(`No bench is called ${unknown.join(", ")}. There are: ${Object.keys(benches).join(", ")}.`);
  process.exitCode = 2;
} else {
  const chosen = positionals.length > 0 ? positionals : Object.keys(benches);
  for (const name of chosen) {
    const bench = await benches[name]?.();
    if (bench === undefined) continue;
    const startMs = performance.now();
    const { ok, figures, lines } = await bench.run();
    if (values.json) {
      console.log(JSON.stringify({ bench: name, ok, figures }));
    } else {
      console.log(
        `\n${name}: ${ok ? "reached" : "NOT REACHED"} (${((performance.now() - startMs) / 1_000).toFixed(1)} s)`,
      );
      for (const line of lines) console.log(`  ${line}`);
      console.log(`  ${JSON.stringify(figures)}`);
    }
    if (!ok) process.exitCode = 1;
  }
}
// Other clients leave timers of hours behind once they were told to wait.
process.exit();
