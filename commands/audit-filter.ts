import { ApplicationCommandOptionType } from "discord.js";
import type { Options } from "../src/discord/command.ts";
import type { Services } from "../src/discord/services.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { AuditLog } from "../src/domain/ports/audit-log.ts";
import type { AuditEvent, AuditFilter, RunStatus } from "../src/domain/run.ts";
import { serverOption } from "./server-option.ts";

/** What `/audit search` and `/audit export` can be narrowed by. */

const { String: text, Integer: integer, User: user } = ApplicationCommandOptionType;
const DAY_MS = 24 * 60 * 60_000;

const STATUSES: Readonly<Record<string, RunStatus>> = {
  ran: "done",
  "did not run": "failed",
  unknown: "unknown",
  denied: "denied",
  cancelled: "cancelled",
  expired: "expired",
  waiting: "waiting",
};

export const filterOptions = [
  { type: user, name: "person", description: "Who asked for it" },
  { type: text, name: "verb", description: "For example ban", max_length: 40 },
  { type: text, name: "text", description: "Words in the command", max_length: 100 },
  {
    type: text,
    name: "outcome",
    description: "The result",
    choices: Object.entries(STATUSES).map(([name, value]) => ({ name, value })),
  },
  { type: integer, name: "days", description: "How many days back", min_value: 1, max_value: 3_650 },
  serverOption,
] as const;

export interface FilterArgs {
  readonly personId: string | undefined;
  readonly verb: string | undefined;
  readonly text: string | undefined;
  readonly status: RunStatus | undefined;
  readonly days: number | undefined;
  readonly server: string | undefined;
}

export function parseFilter(options: Options): FilterArgs {
  const wanted = options.string("outcome");
  return {
    personId: options.id("person"),
    verb: options.string("verb"),
    text: options.string("text"),
    status: Object.values(STATUSES).find((status) => status === wanted),
    days: options.number("days"),
    server: options.string("server"),
  };
}

export interface Filters {
  readonly runs: AuditFilter;
  /** Undefined where something is asked for that only runs have. */
  readonly events: Parameters<AuditLog["events"]>[1] | undefined;
  wantsEvent(event: AuditEvent): boolean;
}

/** @throws Failure "not-linked" when the server named is not linked. */
export async function filtersOf(services: Services, actor: Actor, args: FilterArgs): Promise<Filters> {
  const { bindings, catalogue, clock } = services;
  const binding = args.server === undefined ? undefined : await bindings.pick(actor.guildId, args.server);
  const verb = args.verb === undefined ? undefined : (catalogue.about(args.verb)?.verb ?? bare(args.verb));
  const common = {
    ...(args.personId === undefined ? {} : { actorId: args.personId }),
    ...(args.days === undefined ? {} : { fromMs: clock.nowMs() - args.days * DAY_MS }),
  };
  const runs: AuditFilter = {
    ...common,
    ...(binding === undefined ? {} : { bindingId: binding.id }),
    ...(verb === undefined ? {} : { verb }),
    ...(args.text === undefined ? {} : { text: args.text }),
    ...(args.status === undefined ? {} : { status: args.status }),
  };
  const onlyRuns = [binding, verb, args.text].some((given) => given !== undefined);
  // Refused commands past a few a minute are no rows of runs but a count of them.
  const refusals = args.status === "denied";
  const noEvents = onlyRuns || (args.status !== undefined && !refusals);
  return {
    runs,
    events: noEvents ? undefined : common,
    wantsEvent: ({ action }) => !refusals || action === "refusals",
  };
}

function bare(verb: string): string {
  return verb.trim().replace(/^:/, "").toLowerCase();
}
