import { parseArgs } from "node:util";
import { type Draft, GROUPS, type Option, UsageError } from "./cli-options.ts";
import { COMMAND_CHECKS } from "./command-route.ts";
import { defaultFaults } from "./faults.ts";
import { defaultLimits } from "./limits.ts";
import type { ServiceOptions } from "./service.ts";

/** What `npm run service` was told. */
export interface CliSettings {
  port: number;
  host: string;
  trustForwarded: boolean;
  /** Everything of the service but the clock. */
  service: Omit<ServiceOptions, "nowMs">;
}

/** All options, for people. */
export function helpText(): string {
  const lines = GROUPS.flatMap(([title, options]) => [
    "",
    `${title}:`,
    ...options.map(
      ({ flag, value, help }) => `  ${`--${flag}${value ? ` ${value}` : ""}`.padEnd(34)} ${help}`,
    ),
  ]);
  return ["npm run service -- [options]", "The game service, emulated.", ...lines, ""].join("\n");
}

/** Reads the options; undefined when help was asked for. Throws `UsageError`. */
export function readCli(args: readonly string[]): CliSettings | undefined {
  const known = GROUPS.flatMap(([, options]) => options);
  const values = parse(args, known);
  if (values.help) return undefined;
  const strictSpec = values["strict-spec"] !== undefined;
  const draft: Draft = {
    port: 0,
    host: "127.0.0.1",
    trustForwarded: false,
    strictSpec,
    commands: "allowed",
    commandChecks: COMMAND_CHECKS,
    seed: 1,
    keys: [],
    globalKeys: [],
    limits: defaultLimits(strictSpec),
    faults: defaultFaults(strictSpec),
    name: undefined,
    intensity: "normal",
    maxPlayers: 40,
    logWindow: 100,
  };
  for (const option of known) for (const value of values[option.flag] ?? []) option.apply(draft, value);
  return settingsOf(draft);
}

function settingsOf(draft: Draft): CliSettings {
  const { logWindow, name, maxPlayers, intensity } = draft;
  return {
    port: draft.port,
    host: draft.host,
    trustForwarded: draft.trustForwarded,
    service: {
      seed: draft.seed,
      keys: draft.keys.length > 0 ? draft.keys : ["demo-key"],
      globalKeys: draft.globalKeys,
      strictSpec: draft.strictSpec,
      commands: draft.commands,
      commandChecks: draft.commandChecks,
      limits: draft.limits,
      faults: draft.faults,
      town: {
        info: { maxPlayers, ...(name === undefined ? {} : { name }) },
        intensity,
        windows: { joins: logWindow, kills: logWindow, commands: logWindow, modCalls: logWindow },
      },
    },
  };
}

function parse(args: readonly string[], known: readonly Option[]): Record<string, string[] | undefined> {
  const help = { type: "boolean", multiple: true } as const;
  const options = Object.fromEntries(
    known.map(({ flag, value }) => [
      flag,
      { type: value ? ("string" as const) : ("boolean" as const), multiple: true as const },
    ]),
  );
  try {
    const { values } = parseArgs({ args: [...args], options: { ...options, help }, allowPositionals: false });
    return Object.fromEntries(
      Object.entries(values).map(([flag, given]) => [flag, [given].flat().map((value) => String(value))]),
    );
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${said.split(". ")[0]?.replace(/\s+/g, " ")} (--help lists the options)`);
  }
}
