import type { Soak } from "./soak.ts";

/** What is too long for `npm test`, by name; a line here adds one. Loaded only when it is run. */
const soaks: Readonly<Record<string, () => Promise<Soak>>> = {
  kills: () => import("./kills.ts"),
  cuts: () => import("./cuts.ts"),
  image: () => import("./image.ts"),
  chaos: () => import("./chaos.ts"),
  upgrade: () => import("./upgrade.ts"),
  night: () => import("./night.ts"),
  hosting: () => import("./hosting/hosting.ts"),
  series: () => import("./hosting/record.ts"),
  memory: () => import("./memory.ts"),
  duty: () => import("./duty.ts"),
  roles: () => import("./roles.ts"),
  rules: () => import("./rules.ts"),
  ranks: () => import("./ranks.ts"),
  scenes: () => import("./scenes.ts"),
  bans: () => import("./bans.ts"),
  mutants: () => import("./mutants.ts"),
};

const [name = "", ...args] = process.argv.slice(2);
const load = Object.hasOwn(soaks, name) ? soaks[name] : undefined;
if (load === undefined) {
  const isHelp = name === "--help" || name === "-h";
  const usage = `npm run soak -- NAME [options], where NAME is one of: ${Object.keys(soaks).join(", ")}.`;
  console[isHelp ? "log" : "error"](usage);
  process.exitCode = isHelp ? 0 : 2;
} else {
  const soak = await load();
  const ok = await soak.run(args);
  console.log(ok ? `${name}: held` : `${name}: FAILED`);
  process.exitCode = ok ? 0 : 1;
}
