import type { Page } from "playwright-core";
import type { Member, Value } from "../discord/types.ts";
import { answered, keepDuty } from "../moves.ts";
import type { Town } from "../service/service.ts";
import type { Stage } from "../stage.ts";
import type { Actor } from "./protocol.ts";
import { typeLine } from "./shot.ts";

/** The screens that people see most, and how one comes to each. */
export interface Screen {
  /** Of the file: `NAME-wide.png`, `NAME-narrow.png`. */
  readonly name: string;
  readonly as: Actor;
  readonly channel: string;
  /** On a sandbox where nothing is set up. */
  readonly isEmpty?: boolean;
  /** The bot's history has weeks to show. */
  readonly hasPast?: boolean;
  /** What people did before. */
  did?(stage: Stage): Promise<void>;
  /** What happens in the town before one looks. */
  happens?(town: Town): void;
  /** What the person does. */
  does?(page: Page, town: Town): Promise<void>;
}

/** Somebody kills, and who was killed calls. */
function trouble(town: Town): void {
  const [killer, caller] = ["Riley_Brooks", "Casey_Holt"].map((name) =>
    town.players.find((player) => player.name === name),
  );
  if (killer === undefined || caller === undefined) return;
  town.kill(killer, caller);
  town.modCall(caller);
}

/** Two of the staff are on duty, one of the game's staff is unknown, somebody is on leave, and there is a quota. */
async function staffOnDuty(stage: Stage): Promise<void> {
  const { guild, owner, moderator, member, staffRole, channels } = stage.cast;
  const away = guild.addMember({ name: "Lena", roles: [staffRole] });
  const { world } = stage.town;
  member.addRole(staffRole);
  const staff = [
    [moderator, world.person(4)],
    [member, world.person(5)],
    [away, world.person(6)],
  ] as const;
  await keepDuty(stage, { channel: guild.addChannel({ name: "shifts" }), staff });
  const says = async (person: Member, command: string, options: Readonly<Record<string, Value>> = {}) =>
    await (await stage.discord.as(person).slash(channels.staff, command, options)).settled();
  for (const person of [moderator, member]) await says(person, "duty start");
  await says(owner, "duty quota set", { role: staffRole, hours: 4 });
  for (const [person, minutes] of [
    [moderator, 310],
    [member, 95],
  ] as const)
    await says(owner, "duty edit", { member: person, minutes, reason: "Event on Saturday" });
  await says(away, "duty leave ask", { until: "10 days", reason: "Exams" });
  const list = answered(await says(owner, "duty leave list"));
  await (await stage.discord.as(owner).click(list, "Approve 1")).settled();
}

async function sessionOn(stage: Stage): Promise<void> {
  const { owner, staffRole, channels, guild } = stage.cast;
  const channel = guild.channels.find(({ name }) => name === "game-server");
  if (channel === undefined) throw new Error("there is no #game-server");
  const olivia = stage.discord.as(owner);
  const text = "Rules are in #rules.\\nJoin by the code in the server list, and wait for staff in the lobby.";
  const setup = { channel, ping: staffRole, votes: 1, text };
  await (await olivia.slash(channels.staff, "session setup", setup)).settled();
  await (await olivia.slash(channels.staff, "session vote")).settled();
  const vote = await stage.discord.until(() => stage.discord.messages(channel).at(-1));
  await (await stage.discord.as(stage.cast.moderator).click(vote, "I'm in")).settled();
  await (await olivia.slash(channels.staff, "session start")).settled();
  await stage.discord.until(() => vote.embeds[0]?.description?.includes("has started"));
}

/** Somebody was warned, and appeals. */
async function appealed(stage: Stage): Promise<void> {
  const { owner, moderator, member, channels, guild } = stage.cast;
  const [player = { name: "" }] = stage.town.players;
  const button = guild.addChannel({ name: "appeals" });
  button.allowBot("CreatePrivateThreads", "SendMessagesInThreads");
  const as = (person: Member) => stage.discord.as(person);
  const setup = { channel: channels.staff, "button-in": button };
  await (await as(owner).slash(channels.staff, "setup appeals", setup)).settled();
  const warning = { player: player.name, kind: "warning", reason: "Parked on the runway" };
  await (await as(moderator).slash(channels.general, "case add", warning)).settled();
  const offer = await stage.discord.until(() => stage.discord.messages(button).at(-1));
  const { modal } = await as(member).click(offer, "Appeal");
  const [name = "", words = ""] = modal?.fields.map(({ customId }) => customId) ?? [];
  if (modal === undefined) throw new Error("no form");
  const typed = {
    [name]: player.name,
    [words]: "The tower had told me to wait there.\nAsk Riley, she saw it.",
  };
  await (await as(member).submit(modal, typed)).settled();
  await stage.discord.until(() =>
    stage.discord.messages(channels.staff).find(({ embeds }) => embeds[0]?.title?.includes("Appeal")),
  );
}

const line = (text: string) => (page: Page) => typeLine(page, text);

export const SCREENS: readonly Screen[] = [
  { name: "first-evening", as: "owner", channel: "staff-room", isEmpty: true, does: line("/setup start") },
  { name: "server-status", as: "moderator", channel: "staff-room", does: line("/server status") },
  { name: "server-players", as: "moderator", channel: "staff-room", does: line("/server players") },
  {
    name: "player",
    as: "moderator",
    channel: "staff-room",
    happens: trouble,
    async does(page) {
      await typeLine(page, "/case add player: Riley_Brooks kind: Warning reason: Random deathmatch");
      await typeLine(page, "/player show player: Riley_Brooks");
    },
  },
  {
    name: "rewind",
    as: "moderator",
    channel: "staff-room",
    happens: trouble,
    does: line("/server at time: 1 s ago"),
  },
  {
    name: "stats",
    as: "moderator",
    channel: "staff-room",
    hasPast: true,
    does: line("/stats server period: 7 days"),
  },
  {
    name: "run-confirm",
    as: "moderator",
    channel: "staff-room",
    does: line("/run command text: :kick Ranger Reckless driving"),
  },
  {
    name: "run-outcome",
    as: "moderator",
    channel: "staff-room",
    does: line("/run command text: :h Welcome to the server"),
  },
  {
    name: "mod-call",
    as: "moderator",
    channel: "mod-calls",
    happens: trouble,
  },
  {
    name: "kills",
    as: "moderator",
    channel: "kills",
    happens: (town) => void town.killSpree(6),
  },
  {
    name: "alert",
    as: "moderator",
    channel: "staff-room",
    happens: (town) => void town.killSpree(6),
  },
  {
    name: "server-panel",
    as: "owner",
    channel: "game-server",
    does: line("/server panel"),
  },
  { name: "duty-now", as: "moderator", channel: "staff-room", did: staffOnDuty, does: line("/duty now") },
  { name: "duty-board", as: "owner", channel: "staff-room", did: staffOnDuty, does: line("/duty board") },
  { name: "session", as: "member", channel: "game-server", did: sessionOn },
  { name: "appeal", as: "owner", channel: "staff-room", did: appealed },
  { name: "help", as: "moderator", channel: "staff-room", does: line("/help") },
];
