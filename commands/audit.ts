import { ApplicationCommandOptionType, ChannelType } from "discord.js";
import { defineCommand, defineEntry } from "../src/discord/command.ts";
import { eventLine, runLine, searchStopped } from "../src/discord/render/audit-rows.ts";
import { fitLines } from "../src/discord/render/fit-lines.ts";
import { auditLine } from "../src/discord/render/setup-lines.ts";
import { joined, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { AuditEvent, AuditFound } from "../src/domain/run.ts";
import { recordEvent } from "./audit-event.ts";
import { exportRows } from "./audit-export.ts";
import { type FilterArgs, filterOptions, filtersOf, parseFilter } from "./audit-filter.ts";
import { type ChannelSetting, offOption, parseChannelSetting } from "./channel-setting.ts";
import { chosenText, setText } from "./not-posted.ts";
import { completeServer } from "./server-option.ts";

/** Who ran and configured what. For holders of Manage Guild. */

const { Integer: integer, Channel: channel } = ApplicationCommandOptionType;
const SHOWN = 30;
/** Counts of refusals stand among other events. */
const EVENTS_LOOKED_AT = 200;

const search = defineEntry<FilterArgs>({
  description: "Commands and setting changes, newest first",
  first: "ephemeral",
  options: filterOptions,
  serverIsFilter: true,
  parse: parseFilter,
  autocomplete: completeServer,
  async execute({ actor, args }, services) {
    const filters = await filtersOf(services, actor, args);
    const runs = await services.audit.search(actor.guildId, { ...filters.runs, limit: SHOWN + 1 });
    const events: AuditFound<AuditEvent> =
      filters.events === undefined
        ? { rows: [] }
        : await services.audit.events(actor.guildId, { ...filters.events, limit: EVENTS_LOOKED_AT + 1 });
    const shownEvents = events.rows.filter(filters.wantsEvent);
    const stopped = runs.stoppedAt !== undefined || events.stoppedAt !== undefined;

    // Where one server is linked, each line is of it.
    const server = (await services.bindings.list(actor.guildId)).length > 1;
    const rows = [
      ...runs.rows.map((record) => ({ atMs: record.askedAtMs, line: runLine(record, { server }) })),
      ...shownEvents.map((event) => ({ atMs: event.atMs, line: eventLine(event) })),
    ];
    const lines = rows.sort((a, b) => b.atMs - a.atMs).map(({ line }) => line);
    // Where one of the two has more rows than were asked for, nobody has counted them.
    const isMore = runs.rows.length > SHOWN || events.rows.length > EVENTS_LOOKED_AT;
    const fitting = fitLines(lines, { most: SHOWN, isMore, advice: md`narrow the search or export it` });
    const nothing = stopped ? [] : [md`Nothing found.`];
    const found = lines.length === 0 ? nothing : [fitting];
    const description = joined([...found, ...(stopped ? [searchStopped(lines.length)] : [])], "\n");
    return { cards: [{ title: md`Audit`, description, color: 0x3b6fd4 }] };
  },
});

const channelEntry = defineEntry<ChannelSetting>({
  description: "Post every entry in a channel; leave empty to see the setting",
  first: "ephemeral",
  options: [
    {
      type: channel,
      name: "channel",
      description: "A channel for your staff leads",
      channel_types: [ChannelType.GuildText, ChannelType.PublicThread, ChannelType.PrivateThread],
    },
    offOption("Turn it off; the audit is still saved"),
  ],
  parse: parseChannelSetting,
  async execute({ actor, args }, services) {
    if (args.kind === "show") {
      const now = await services.settings.of(actor.guildId);
      const set = { guildId: actor.guildId, channelId: now.auditChannelId };
      return { content: await setText(services, set, auditLine(now)) };
    }
    const changed = await services.settings.change(actor.guildId, ({ auditChannelId: _, ...settings }) =>
      args.kind === "off" ? settings : { ...settings, auditChannelId: args.channelId },
    );
    // This row goes into the new channel too, as its first.
    await recordEvent(services, actor, {
      action: "audit-channel",
      text: args.kind === "off" ? "off" : `<#${args.channelId}>`,
    });
    const at = { guildId: actor.guildId, channelId: changed.auditChannelId, isForStaff: true };
    return { content: await chosenText(services, at, auditLine(changed)) };
  },
});

const retention = defineEntry<{ readonly days: number }>({
  description: "How many days the audit is kept",
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
    await recordEvent(services, actor, { action: "audit-retention", text: `${days} days` });
    return { content: md`✅ The audit is kept for ${days} days. Older entries are deleted within a day.` };
  },
});

export const audit = defineCommand({
  name: "audit",
  description: "Who ran and changed what",
  manageGuild: true,
  subcommands: { search, export: exportRows, channel: channelEntry, retention },
});
