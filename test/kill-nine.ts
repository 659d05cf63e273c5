import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Channel, Message } from "../src/sandbox/discord/types.ts";
import { addFeed, commandIsThere, linkServer } from "../src/sandbox/moves.ts";
import { Prng } from "../src/sandbox/service/prng.ts";
import type { TownRecord } from "../src/sandbox/service/town/record.ts";
import { openStage, type Stage } from "../src/sandbox/stage.ts";

/**
 * Kills the real bot with SIGKILL again and again during a busy hour of the town, then compares what stands in the
 * channels with the town's own record: each entry exactly once (issue 5). Run by hand, since it takes minutes:
 *
 *   node test/kill-nine.ts [--kills 50] [--seed 1] [--per-minute 600]
 *
 * Exits 1 and lists what differs when anything is lost or repeated.
 */
const { values: options } = parseArgs({
  options: {
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    "per-minute": { type: "string", default: "600" },
  },
});
const kills = Number(options.kills);
const seed = Number(options.seed);
const perMinute = Number(options["per-minute"]);

/** What is compared, as text per entry: equal text is the same entry, and counts are kept. */
interface Comparison {
  readonly what: string;
  readonly expected: readonly string[];
  readonly shown: readonly string[];
}

function refId(ref: string): string {
  return ref.slice(ref.lastIndexOf(":") + 1);
}

function refName(ref: string): string {
  const colon = ref.lastIndexOf(":");
  return colon < 0 ? ref : ref.slice(0, colon);
}

/** What a reader sees of Markdown that the bot escaped. */
function seen(markdown: string): string {
  return markdown
    .replaceAll("\u200b", "")
    .replaceAll("ˋ", "`")
    .replace(/\\([^0-9A-Za-z\s])/g, "$1");
}

function linesOf(stage: Stage, channel: Channel, pattern: RegExp, entry: (hit: RegExpExecArray) => string) {
  return stage.discord
    .messages(channel)
    .filter((message) => !message.deleted)
    .flatMap((message) => message.content.split("\n"))
    .flatMap((line) => {
      const hit = pattern.exec(line);
      return hit === null ? [] : [entry(hit)];
    });
}

function cardsOf(stage: Stage, channel: Channel): readonly Message["embeds"][number][] {
  return stage.discord.messages(channel).flatMap((message) => message.embeds);
}

/** The record from where the feeds began, against the channels. */
function compare(stage: Stage, channels: Channels, from: Lengths): readonly Comparison[] {
  const record = stage.town.record;
  const calls = record.modCalls.slice(from.modCalls);
  return [
    {
      what: "joins and leaves",
      expected: record.joins
        .slice(from.joins)
        .map(({ atS, join, player }) => `${atS} ${join ? "joined" : "left"} ${refId(player)}`),
      shown: linesOf(
        stage,
        channels.joins,
        /^<t:(\d+):T> `[+−]` \*\*.+\*\* (joined|left).* `(\d+)`$/,
        ([, at, what, id]) => `${at} ${what} ${id}`,
      ),
    },
    {
      what: "kills",
      expected: record.kills
        .slice(from.kills)
        .map(({ atS, killer, killed }) => `${atS} ${refName(killer)} > ${refName(killed)}`),
      shown: linesOf(
        stage,
        channels.kills,
        /^<t:(\d+):T> `×` \*\*(.+)\*\* killed \*\*(.+)\*\*$/,
        ([, at, killer, killed]) => `${at} ${seen(killer ?? "")} > ${seen(killed ?? "")}`,
      ),
    },
    {
      what: "commands",
      expected: record.commands
        .slice(from.commands)
        .map(({ atS, player, remote, command }) =>
          [atS, remote ? "Remote Server" : refName(player), command.trim()].join(" "),
        ),
      shown: linesOf(
        stage,
        channels.commands,
        /^<t:(\d+):T> `>` \*\*(.+?)\*\* ran `(.+)`$/,
        ([, at, name, text]) => `${at} ${seen(name ?? "")} ${seen(text ?? "").trim()}`,
      ),
    },
    {
      what: "moderator calls, with their answer",
      expected: calls.map(({ atS, caller, moderator }) =>
        [atS, refId(caller), moderator === undefined ? "open" : `answered by ${refId(moderator)}`].join(" "),
      ),
      shown: cardsOf(stage, channels.modCalls).map(({ description = "" }) => {
        const [, id, at] = /`(\d+)` called <t:(\d+):T>/.exec(description) ?? [];
        const [, by] = /Answered in the game by .*`(\d+)`/.exec(description) ?? [];
        return [at, id, by === undefined ? "open" : `answered by ${by}`].join(" ");
      }),
    },
  ];
}

function counted(entries: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const entry of entries) counts.set(entry, (counts.get(entry) ?? 0) + 1);
  return counts;
}

/** Prints one comparison; returns how many entries are lost or repeated. */
function report({ what, expected, shown }: Comparison): number {
  const [due, there] = [counted(expected), counted(shown)];
  const lost: string[] = [];
  const repeated: string[] = [];
  for (const entry of new Set([...due.keys(), ...there.keys()])) {
    const difference = (there.get(entry) ?? 0) - (due.get(entry) ?? 0);
    if (difference < 0) lost.push(entry);
    if (difference > 0) repeated.push(entry);
  }
  console.log(
    `${what}: ${expected.length} in the record, ${lost.length} lost, ${repeated.length} repeated or wrong`,
  );
  for (const entry of lost.slice(0, 10)) console.log(`  lost: ${entry}`);
  for (const entry of repeated.slice(0, 10)) console.log(`  repeated or wrong: ${entry}`);
  return lost.length + repeated.length;
}

type Channels = Readonly<Record<"joins" | "kills" | "modCalls" | "commands", Channel>>;
type Lengths = Readonly<Record<"joins" | "kills" | "modCalls" | "commands", number>>;

function lengths({ joins, kills: killed, modCalls, commands }: TownRecord): Lengths {
  return { joins: joins.length, kills: killed.length, modCalls: modCalls.length, commands: commands.length };
}

/** The bot in its guild with four feeds whose baselines are taken; the town stands still. */
async function begin(stage: Stage): Promise<Channels> {
  const { cast } = stage;
  stage.town.pause();
  stage.bot.start();
  await commandIsThere(stage, cast.owner, cast.channels.staff, "setup");
  await linkServer(stage);
  const { joins, kills: killed, modCalls } = cast.channels;
  const channels = { joins, kills: killed, modCalls, commands: cast.guild.addChannel({ name: "commands" }) };
  await addFeed(stage, "joins", channels.joins);
  await addFeed(stage, "kills", channels.kills);
  await addFeed(stage, "mod-calls", channels.modCalls);
  await addFeed(stage, "commands", channels.commands);
  await reads(stage, 3);
  return channels;
}

/** Waits until the bot has read the server `times` more. */
async function reads(stage: Stage, times: number): Promise<void> {
  const { requests } = stage.service.counts;
  const deadline = Date.now() + 120_000;
  while (stage.service.counts.requests < requests + times) {
    if (Date.now() > deadline) throw new Error("the bot no longer reads the server");
    await sleep(50);
  }
}

/** Waits until nothing has been posted or edited for a while: everything that was owed is there. */
async function quiet(stage: Stage): Promise<void> {
  let lastMs = Date.now();
  const stop = stage.discord.on(() => {
    lastMs = Date.now();
  });
  const deadline = Date.now() + 300_000;
  while (Date.now() - lastMs < 15_000 && Date.now() < deadline) await sleep(250);
  stop();
}

const random = new Prng(seed);
const stage = await openStage({ seed, serverKey: "kill-nine", traffic: "quiet", live: true });
let wrong = 0;
try {
  const channels = await begin(stage);
  const from = lengths(stage.town.record);
  stage.town.resume();
  stage.town.setIntensity(perMinute);
  for (let kill = 1; kill <= kills; kill++) {
    // From the first moments of a start to the middle of many polls.
    await sleep(random.next() * random.next() * 12_000);
    await stage.bot.restart("kill");
    if (kill % 10 === 0)
      console.log(`killed ${kill} times, ${stage.town.record.joins.length} joins and leaves so far`);
  }
  stage.town.pause();
  await reads(stage, 3);
  await quiet(stage);
  for (const comparison of compare(stage, channels, from)) wrong += report(comparison);
  const notices = Object.values(channels)
    .flatMap((channel) => stage.discord.messages(channel))
    .filter(({ content }) => /^⚠ Gap/.test(content));
  console.log(`gap notices: ${notices.length}`);
  wrong += notices.length;
  if (wrong > 0) for (const line of stage.bot.lines.slice(-20)) console.log(line);
} finally {
  await stage.close();
}
process.exitCode = wrong === 0 ? 0 : 1;
