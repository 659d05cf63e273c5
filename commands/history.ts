import { ApplicationCommandOptionType } from "discord.js";
import {
  type Choice,
  defineAction,
  defineCommand,
  defineEntry,
  type Invocation,
  type Press,
  type Reply,
  type Typing,
} from "../src/discord/command.ts";
import { cut, inlineName, plainText } from "../src/discord/render/escape.ts";
import { onlyCasesMessage } from "../src/discord/render/forgotten.ts";
import { positionsSaid } from "../src/discord/render/position-words.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { KnownPlayer, RetentionDays } from "../src/domain/history.ts";
import { recordEvent } from "./audit-event.ts";
import { eraseCases, eraseNow, keptPlayer, standingOf } from "./history-forget.ts";
import { changePositions, parsePositionDays, setAndSay } from "./history-positions.ts";
import { packedFile, packedText } from "./packed-file.ts";

/** What a community decides about what is recorded of its servers: how long, of whom no more, and who gets a copy. */

const MOST_CHOICES = 25;
const LONGEST_CHOICE = 100;
const LONGEST_DAYS = 365;

const playerOption = {
  type: ApplicationCommandOptionType.String,
  name: "player",
  description: "Name, earlier name or id",
  required: true,
  autocomplete: true,
  max_length: 60,
} as const;

/** Players that are known by now; the value is the id, because names change hands. */
async function completePlayer({ actor, typed }: Typing, { history }: Services): Promise<readonly Choice[]> {
  const found = await history.players.search(actor.guildId, typed, MOST_CHOICES);
  return found.map(({ playerId, name, earlierNames: [earlier] }) => {
    const also = earlier === undefined ? "" : ` (was ${plainText(earlier)})`;
    return { name: cut(`${plainText(name)}${also}`, LONGEST_CHOICE), value: String(playerId) };
  });
}

/** @throws Failure "bad-command" where nobody or several are meant. */
function onlyOne(found: readonly KnownPlayer[], typed: string): KnownPlayer {
  const [player, other] = found;
  if (player === undefined) {
    throw new Failure("bad-command", `Nothing is recorded about "${typed}". Choose a player from the list.`, {
      isRead: true,
    });
  }
  if (other !== undefined) {
    const words = `${found.length} players have used the name "${typed}". Choose one from the list or give the id.`;
    throw new Failure("bad-command", words, { isRead: true });
  }
  return player;
}

const retention = defineEntry<{
  readonly days: RetentionDays | undefined;
  readonly positions: number | undefined;
}>({
  description: "How long Marshal keeps its records of your servers",
  first: "ephemeral",
  options: [
    {
      type: ApplicationCommandOptionType.String,
      name: "days",
      description: "1 to 365, or off; leave empty to see the setting",
      max_length: 5,
    },
    {
      type: ApplicationCommandOptionType.String,
      name: "positions",
      description: "Save where players are, for the map's replay: 1 to 30 days, or off",
      max_length: 5,
    },
  ],
  parse: (options) => ({
    days: parseDays(options.string("days")),
    positions: parsePositionDays(options.string("positions")),
  }),
  async execute({ actor, args: { days, positions } }, services) {
    const { privacy } = services.history;
    if (days !== undefined && positions !== undefined) {
      throw new Failure("bad-command", "Set days and positions one after the other.", { isRead: true });
    }
    if (positions !== undefined) return await changePositions(services, actor, positions);
    if (days === undefined) {
      const now = await privacy.retention(actor.guildId);
      if (now === "off")
        return { content: md`Recording is off. Turn it on with \`/history retention days:90\`.` };
      const saved = positionsSaid(await services.history.positions.days(actor.guildId));
      return { content: md`Records of your servers are kept for ${now} days. ${saved}` };
    }
    if (days === "off") return askBeforeOff();
    await privacy.setRetention(actor.guildId, days);
    await recordEvent(services, actor, { action: "history-retention", text: `${days} days` });
    return {
      content: md`✅ Records of your servers are kept for ${days} days. Older ones are deleted within hours.`,
    };
  },
});

function parseDays(typed: string | undefined): RetentionDays | undefined {
  if (typed === undefined) return undefined;
  const days = Number(typed);
  if (typed.trim().toLowerCase() === "off") return "off";
  if (Number.isInteger(days) && days >= 1 && days <= LONGEST_DAYS) return days;
  throw new Failure("bad-command", "Give a number of days from 1 to 365, or off.", { isRead: true });
}

function askBeforeOff(): Reply {
  return {
    content: md`Turn recording off? Everything recorded about your servers is erased. Cases stay.`,
    rows: [[{ kind: "button", style: "danger", label: "Erase and turn off", id: "history-off" }]],
  };
}

const forget = defineEntry<{ readonly player: string }>({
  description: "Erase a player from the history of your servers",
  first: "ephemeral",
  options: [playerOption],
  parse: (options) => ({ player: options.string("player", true).trim() }),
  autocomplete: completePlayer,
  async execute({ actor, args }: Invocation<{ readonly player: string }>, services) {
    const { guildId } = actor;
    const found = await services.history.players.find(guildId, args.player);
    // Other things stay when rows are too old.
    const kept = found.length === 0 ? await keptPlayer(services, guildId, args.player) : undefined;
    const { playerId, name } = kept ?? onlyOne(found, args.player);
    const file = kept && (await services.history.privacy.export(guildId, playerId));
    if (kept !== undefined && (file?.elsewhere ?? 0) === 0)
      return onlyCasesMessage(name, await standingOf(services, guildId, { playerId, name }));
    return {
      content: md`Erase **${inlineName(name)}**? Sessions, kills, deaths, commands, calls and names are deleted for good. Messages in channels stay. You are asked about cases next.`,
      rows: [[{ kind: "button", style: "danger", label: "Erase", id: `history-forget:${playerId}` }]],
    };
  },
});

const exportEntry = defineEntry<{ readonly player: string }>({
  description: "Everything recorded about a player, as a file",
  first: "ephemeral",
  options: [playerOption],
  parse: (options) => ({ player: options.string("player", true).trim() }),
  autocomplete: completePlayer,
  async execute({ actor, args }: Invocation<{ readonly player: string }>, services) {
    const found = await services.history.players.find(actor.guildId, args.player);
    // Other things stay when rows are too old.
    const kept = found.length === 0 ? await keptPlayer(services, actor.guildId, args.player) : undefined;
    const { playerId, name } = kept ?? onlyOne(found, args.player);
    const file = await services.history.privacy.export(actor.guildId, playerId);
    if (file === undefined)
      return { content: md`Nothing is recorded about **${inlineName(name)}** any more.` };
    await recordEvent(services, actor, { action: "history-export", text: name });
    const others = file.elsewhere === 1 ? md`1 other record` : md`${file.elsewhere} other records`;
    const other = file.elsewhere === 0 ? md`` : md`, ${others}`;
    const rest = file.isComplete ? md`` : md` These are the newest of each kind. There are more.`;
    const packed = await packedFile(`player-${playerId}.json`, file.text);
    const isPacked = packed.unpackedBytes === undefined ? md`` : md` ${packedText(packed.unpackedBytes)}`;
    return {
      content: md`📄 **${inlineName(name)}**: ${counted(file.rows, "row")}, ${counted(file.cases, "case")}${other}.${rest}${isPacked}`,
      files: [packed.file],
    };
  },
});

function counted(count: number, what: "row" | "case"): Escaped {
  if (what === "row") return count === 1 ? md`1 row` : md`${count} rows`;
  return count === 1 ? md`1 case` : md`${count} cases`;
}

async function turnOff({ actor }: Press, services: Services): Promise<Reply> {
  await services.history.privacy.setRetention(actor.guildId, "off");
  await recordEvent(services, actor, { action: "history-retention", text: "off" });
  return {
    content: md`✅ Recording is off. Old records are hidden now and erased within hours.`,
  };
}

export const history = defineCommand({
  name: "history",
  description: "What Marshal records about your servers, and for how long",
  manageGuild: true,
  subcommands: { retention, forget, export: exportEntry },
  actions: {
    "history-forget": defineAction({ first: "update", manageGuild: true, execute: eraseNow }),
    "history-cases": defineAction({ first: "update", manageGuild: true, execute: eraseCases }),
    "history-positions": defineAction({
      first: "update",
      manageGuild: true,
      execute: ({ actor, argument }, services) =>
        setAndSay(services, actor, parsePositionDays(argument) ?? 0),
    }),
    "history-off": defineAction({ first: "update", manageGuild: true, execute: turnOff }),
  },
});
