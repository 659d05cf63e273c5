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
  worlds: () => import("./worlds.ts"),
  sweep: () => import("./sweep.ts"),
};

const [name = "", ...args] = process.argv.slice(2);
const load = Object.hasOwn(soaks, name) ? soaks[name] : undefined;
if (load === undefined) {
  const isHelp = isForHelp(name);
  const usage = `npm run soak -- NAME [options], where NAME is one of: ${Object.keys(soaks).join(", ")}.`;
  console[isHelp ? "log" : "error"](usage);
  process.exitCode = isHelp ? 0 : 2;
} else if (args.some(isForHelp)) console.log(whereOptionsAre(name));
else await run(name, await load());

async function run(soakName: string, soak: Soak): Promise<void> {
  try {
    const ok = await soak.run(args);
    console.log(ok ? `${soakName}: held` : `${soakName}: FAILED`);
    process.exitCode = ok ? 0 : 1;
  } catch (error) {
    const isSlip =
      error instanceof TypeError && "code" in error && /^ERR_PARSE_ARGS/.test(String(error.code));
    if (!isSlip) throw error;
    console.error(`${error.message.replace(/\.$/, "")}. ${whereOptionsAre(soakName)}`);
    process.exitCode = 2;
  }
}

function isForHelp(word: string): boolean {
  return word === "--help" || word === "-h";
}

function whereOptionsAre(soakName: string): string {
  return `The options of ${soakName} are described at the top of its file in test/soak/.`;
}
