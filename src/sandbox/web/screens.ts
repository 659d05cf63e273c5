import type { Page } from "playwright-core";
import type { Town } from "../service/service.ts";
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
  { name: "help", as: "moderator", channel: "staff-room", does: line("/help") },
];
