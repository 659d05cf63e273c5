import { ApplicationCommandOptionType, ChannelType } from "discord.js";
import { defineCommand, defineEntry, type Options, type Services } from "../src/discord/command.ts";
import {
  auditCsv,
  auditJson,
  eventLine,
  fitLines,
  runLine,
  searchStopped,
} from "../src/discord/render/audit-rows.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { AuditEvent, AuditFilter, RunRecord, RunStatus } from "../src/domain/run.ts";
import { note } from "./audit-note.ts";
import { completeServer, serverOption } from "./server-option.ts";

/** Who ran and configured what. For holders of Manage Guild. */

const { String: text, Integer: integer, User: user, Channel: channel } = ApplicationCommandOptionType;
const dayMs = 24 * 60 * 60_000;
const shown = 30;
/** A file of a few megabytes at most: Discord takes 10. */
const mostExported = 5_000;

const statuses: Readonly<Record<string, RunStatus>> = {
  ran: "done",
  "did not run": "failed",
  unknown: "unknown",
  denied: "denied",
  cancelled: "cancelled",
  expired: "expired",
  waiting: "waiting",
};

const filterOptions = [
  { type: user, name: "person", description: "Who asked for it" },
  { type: text, name: "verb", description: "For example ban", max_length: 40 },
  { type: text, name: "text", description: "Words in the command", max_length: 100 },
  {
    type: text,
    name: "outcome",
    description: "What came of it",
    choices: Object.entries(statuses).map(([name, value]) => ({ name, value })),
  },
  { type: integer, name: "days", description: "Of the last so many days", min_value: 1, max_value: 3_650 },
  serverOption,
] as const;

interface FilterArgs {
  readonly personId: string | undefined;
  readonly verb: string | undefined;
  readonly text: string | undefined;
  readonly status: RunStatus | undefined;
  readonly days: number | undefined;
  readonly server: string | undefined;
}

function parseFilter(options: Options): FilterArgs {
  const wanted = options.string("outcome");
  return {
    personId: options.id("person"),
    verb: options.string("verb"),
    text: options.string("text"),
    status: Object.values(statuses).find((status) => status === wanted),
    days: options.number("days"),
    server: options.string("server"),
  };
}

interface Found {
  readonly records: readonly RunRecord[];
  readonly events: readonly AuditEvent[];
  /** The search ended before it had looked at everything. */
  readonly stopped: boolean;
}

/** Events are no runs: they show only where nothing is asked for that only runs have. */
async function find(services: Services, actor: Actor, args: FilterArgs, limit: number): Promise<Found> {
  const { audit, bindings, words, clock } = services;
  const binding = args.server === undefined ? undefined : await bindings.pick(actor.guildId, args.server);
  const verb = args.verb === undefined ? undefined : (words.about(args.verb)?.verb ?? bare(args.verb));
  const common = {
    limit,
    ...(args.personId === undefined ? {} : { actorId: args.personId }),
    ...(args.days === undefined ? {} : { fromMs: clock.nowMs() - args.days * dayMs }),
  };
  const filter: AuditFilter = {
    ...common,
    ...(binding === undefined ? {} : { bindingId: binding.id }),
    ...(verb === undefined ? {} : { verb }),
    ...(args.text === undefined ? {} : { text: args.text }),
    ...(args.status === undefined ? {} : { status: args.status }),
  };
  const onlyRuns = [binding, verb, args.text, args.status].some((given) => given !== undefined);
  const records = await audit.search(actor.guildId, filter);
  const events = onlyRuns ? { rows: [] } : await audit.events(actor.guildId, common);
  const stopped = records.stoppedAt !== undefined || events.stoppedAt !== undefined;
  return { records: records.rows, events: events.rows, stopped };
}

function bare(verb: string): string {
  return verb.trim().replace(/^:/, "").toLowerCase();
}

const search = defineEntry<FilterArgs>({
  description: "Commands and changes, the newest first",
  first: "ephemeral",
  options: filterOptions,
  parse: parseFilter,
  autocomplete: completeServer,
  async execute({ actor, args }, services) {
    const { records, events, stopped } = await find(services, actor, args, shown);
    const rows = [
      ...records.map((record) => ({ atMs: record.askedAtMs, line: runLine(record, { server: true }) })),
      ...events.map((event) => ({ atMs: event.atMs, line: eventLine(event) })),
    ];
    const lines = rows.sort((a, b) => b.atMs - a.atMs).map(({ line }) => line);
    const fitting = fitLines(lines.slice(0, shown));
    const description = stopped
      ? `${fitting}\n${searchStopped(lines.length)}`.trim()
      : fitting || "Nothing fits.";
    return { cards: [{ title: "Audit", description, color: 0x3b6fd4 }] };
  },
});

const exportRows = defineEntry<FilterArgs & { readonly format: string }>({
  description: "The same as a file",
  first: "ephemeral",
  options: [
    {
      type: text,
      name: "format",
      description: "CSV holds the commands; JSON also what was configured",
      required: true,
      choices: [
        { name: "CSV", value: "csv" },
        { name: "JSON", value: "json" },
      ],
    },
    ...filterOptions,
  ],
  parse: (options) => ({ ...parseFilter(options), format: options.string("format", true) }),
  autocomplete: completeServer,
  async execute({ actor, args }, services) {
    const { records, events } = await find(services, actor, args, mostExported);
    const file = args.format === "csv" ? auditCsv(records) : auditJson(records, events);
    await note(services, actor, "audit-export", `${records.length} rows as ${args.format}`);
    const more =
      records.length < mostExported ? "" : ` The newest ${mostExported}; narrow it by days for older ones.`;
    return { content: `📄 ${records.length} commands.${more}`, files: [file] };
  },
});

const channelEntry = defineEntry<{ readonly channelId: string | undefined }>({
  description: "Mirror every row into a channel; without one: stop",
  first: "ephemeral",
  options: [
    {
      type: channel,
      name: "channel",
      description: "Where staff leads read along",
      channel_types: [ChannelType.GuildText, ChannelType.PublicThread, ChannelType.PrivateThread],
    },
  ],
  parse: (options) => ({ channelId: options.id("channel") }),
  async execute({ actor, args }, services) {
    const { channelId } = args;
    await services.settings.change(actor.guildId, ({ auditChannelId: _, ...settings }) =>
      channelId === undefined ? settings : { ...settings, auditChannelId: channelId },
    );
    // Into the new channel: whoever set it sees at once whether Marshal may post there.
    await note(services, actor, "audit-channel", channelId === undefined ? "off" : `<#${channelId}>`);
    return {
      content:
        channelId === undefined
          ? "✅ The audit is mirrored no longer."
          : `✅ The audit is mirrored into <#${channelId}>, with what is run outside this bot. Its first line is there now; if not, Marshal may not post there.`,
    };
  },
});

const retention = defineEntry<{ readonly days: number }>({
  description: "For how many days rows are kept",
  first: "ephemeral",
  options: [
    { type: integer, name: "days", description: "1 to 3650", required: true, min_value: 1, max_value: 3_650 },
  ],
  parse: (options) => ({ days: options.number("days", true) }),
  async execute({ actor, args }, services) {
    const { days } = args;
    if (!Number.isInteger(days) || days < 1 || days > 3_650) {
      throw new Failure("bad-command", "Give a number of days from 1 to 3650.");
    }
    await services.settings.change(actor.guildId, (settings) => ({ ...settings, auditRetentionDays: days }));
    await note(services, actor, "audit-retention", `${days} days`);
    return { content: `✅ Rows are kept for ${days} days; older ones go within a day.` };
  },
});

export const audit = defineCommand({
  name: "audit",
  description: "Who ran and configured what",
  manageGuild: true,
  subcommands: { search, export: exportRows, channel: channelEntry, retention },
});
