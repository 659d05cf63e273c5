import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { commands } from "../../commands/index.ts";
import type { Clock } from "../../src/domain/ports/clock.ts";
import type { Channel, Exchange, Person } from "../../src/sandbox/discord/types.ts";
import { areAllWorlds } from "../support/worlds.ts";
import { answerOf, PATIENCE_MS, reads } from "./read.ts";
import { type Community, type E2eOptions, E2eRig, LIST_OF_FEED } from "./rig.ts";
import { isRepeatedAnswer, type Nameable, problemsOf, type Sent } from "./sweep-judge.ts";
import { hostileNames, PLAIN } from "./sweep-town.ts";
import { type Given, invocations, linesOf, type Stock, type Trying, Walker } from "./sweep-walk.ts";

/** Everything that can be typed, opened with all that stands behind it, in worlds that are meant badly. */

const LINES = linesOf(commands);
/** Unlinks the server, or erases its history. */
export const isTakingAll = (line: string) => /unlink|retention/.test(line);
/** What takes away what the others need comes last. */
const orderOf = (line: string) =>
  line === "setup start" ? -1 : isTakingAll(line) ? 2 : /remove|deny|forget|pause/.test(line) ? 1 : 0;
export const ORDERED = LINES.toSorted((a, b) => orderOf(a.line) - orderOf(b.line));

/** Each time seconds of the history's thread: outside of the soak once. */
const LONG = /^history forget$/;

/** 18 turns a second, 18 at once. */
const TURN_MS = 55;
const BURST_MS = 1_000;

/** Of undici, which @discordjs/rest sends with. */
const REQUEST_MADE = "undici:request:create";

/** Every action that was pressed in any of the worlds. */
export const PRESSED = new Set<string>();

/** What stands in an answer for moments only, and which test presses it. */
export const PRESSED_ELSEWHERE = {
  "server-retry": "test/e2e/status.test.ts",
  "run-check": "test/e2e/run.test.ts",
  // Shown only where a case or the watchlist names whom the sweep forgets, which an earlier step may have taken away.
  "history-cases": "test/e2e/history.test.ts",
  // It turns pages where eleven commands wait; in the sweep that many wait for moments only.
  "run-queue": "test/commands/run-asks-e2e.test.ts",
  // A ban that ends is sent, kept or lifted by the way on which it is found.
  "run-bans": "test/e2e/bans.test.ts",
  "run-bans-open": "test/e2e/bans.test.ts",
  "case-ban-open": "test/e2e/bans.test.ts",
  "case-ban-yes": "test/e2e/bans.test.ts",
  "case-ban-no": "test/e2e/bans.test.ts",
  "appeal-open": "test/e2e/appeals.test.ts",
  // Shown only where the button's channel shuts Marshal out.
  "appeals-again": "test/e2e/appeals.test.ts",
  "appeal-sent": "test/e2e/appeals.test.ts",
  "appeal-theirs": "test/e2e/appeals.test.ts",
  "appeal-talk": "test/e2e/appeals.test.ts",
  "appeal-yes": "test/e2e/appeals.test.ts",
  "appeal-no": "test/e2e/appeals.test.ts",
  "run-ban": "test/e2e/bans.test.ts",
  "run-ban-let": "test/e2e/bans.test.ts",
  "run-ban-keep": "test/e2e/bans.test.ts",
  "run-ban-lift": "test/e2e/bans.test.ts",
  // Its form opens for no name that the game would read as something else, and the sweep's callers have such names.
  "mod-pm-sent": "test/e2e/night-shift.test.ts",
  // Of one's own time; in the sweep the owner asks, who has nobody above.
  "duty-confirm": "test/e2e/duty.test.ts",
  // The sweep types no totals of real members.
  "duty-ask-link": "test/e2e/duty.test.ts",
  "duty-import": "test/e2e/duty.test.ts",
  "duty-import-undo": "test/e2e/duty.test.ts",
  // The sweep types no rows of real members, nobody but the owner vouches, and no rule of its town has a week's record.
  "me-import-apply": "test/e2e/rules.test.ts",
  "me-import-undo": "test/e2e/rules.test.ts",
  "me-confirm": "test/e2e/rules.test.ts",
  "rule-step": "test/e2e/rules.test.ts",
  // In the sweep nobody is linked who plays, and its town's list of staff changes all the time.
  "rank-confirm": "test/e2e/ranks.test.ts",
  "rank-confirm-many": "test/e2e/ranks.test.ts",
  "rank-unset-again": "test/e2e/ranks.test.ts",
  "rank-pause": "test/e2e/ranks.test.ts",
  // Under a vote in its channel, and in the answer to a press there.
  "session-in": "test/e2e/sessions.test.ts",
  "session-out": "test/e2e/sessions.test.ts",
  "session-mention": "test/e2e/sessions.test.ts",
  "server-claim": "test/e2e/players.test.ts",
  "case-of": "test/e2e/players.test.ts",
  "case-tell": "test/e2e/cases.test.ts",
  "player-pick": "test/e2e/players.test.ts",
  "player-older": "test/e2e/players.test.ts",
  "player-newest": "test/e2e/players.test.ts",
  "player-choose": "test/e2e/alerts.test.ts",
  "rewind-open": "test/e2e/alerts.test.ts",
  "alert-claim": "test/e2e/alerts.test.ts",
  // Of what does not look like a key; the sweep's odd texts hold letters that no header carries.
  "setup-odd": "test/e2e/setup.test.ts",
  "guide-odd": "test/commands/setup.test.ts",
  // Offered where nobody knows yet whether commands are allowed, and who checks may run one.
  "guide-prove": "test/e2e/first-evening.test.ts",
  "rewind-only": "test/e2e/players.test.ts",
  "rewind-all": "test/e2e/players.test.ts",
};

/**
 * Lets things be done no faster than a community may ask (20 a second, 40 at once): what comes faster is answered "Too many
 * requests at once", and nothing of it would be looked at.
 */
class Turns {
  readonly #clock: Pick<Clock, "monotonicMs" | "sleep">;
  #nextMs = 0;

  constructor(clock: Pick<Clock, "monotonicMs" | "sleep">) {
    this.#clock = clock;
  }

  async next(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    this.#nextMs = Math.max(this.#nextMs, nowMs - BURST_MS) + TURN_MS;
    const waitMs = this.#nextMs - nowMs;
    if (waitMs > 0) await this.#clock.sleep(waitMs);
  }
}

/** A rig whose bot is watched: what it said since when, and what was done then. */
export class Sweep {
  readonly rig: E2eRig;
  readonly home: Community;
  readonly decoyIds: readonly string[];
  readonly names: readonly string[];
  readonly stock: Stock;
  readonly walker: Walker;
  readonly #turns: Turns;
  readonly #sent: Sent[] = [];
  readonly #steps: { readonly what: string; readonly from: number }[] = [];
  readonly #person: Person;
  readonly #onSent: (message: unknown) => void;

  constructor(rig: E2eRig, home = rig.home) {
    this.rig = rig;
    this.home = home;
    this.#turns = new Turns(rig.clock);
    const { guild, general, staffRole } = home;
    const decoys = [
      guild.addRole({ name: "Decoys", mentionable: true }),
      guild.addChannel({ name: "decoy" }),
      guild.addMember({ name: "Decoy" }),
    ] as const;
    this.decoyIds = decoys.map(({ id }) => id);
    this.names = hostileNames(decoys.map(({ id }) => id));
    const member = guild.addMember({ name: "@everyone **x** `Jo", roles: [staffRole] });
    this.#person = home.owner;
    const api = new URL(rig.discord.apiUrl);
    this.#onSent = (message) => {
      const { request } = message as {
        readonly request: { readonly origin: unknown; readonly path: string };
      };
      const path = request.path.replace(/^\/api(?:\/v\d+)?/, "").replace(/\?.*/, "");
      if (String(request.origin) === api.origin) this.#sent.push({ path, machineMs: performance.now() });
    };
    subscribe(REQUEST_MADE, this.#onSent);
    this.stock = {
      member: { id: member.id },
      role: { id: guild.addRole({ name: "@here **Staff** <@1>" }).id },
      channel: { id: general.id },
      keys: rig.service.keys,
      texts: [`${this.names[0] ?? ""} [a](https://evil.example) \`b\`\nSPOOFED`, "1", "x".repeat(300)],
      known: {
        "run command text": [
          ":h Good evening",
          ":kick all",
          ":kick Nobody_Here",
          ":kikc Someone",
          ":pm Plaim_Jane hello",
          ":pm",
          ":weather rain",
          `:pm ${this.names[1] ?? ""} hello`,
        ],
        "run preset add text": [":h {1}"],
        "schedule add what": [":h Good evening"],
        "schedule add when": ["every 30 min", "mon-fri 18:00"],
        "me link player": [PLAIN],
        "duty type add starts": ["declared"],
        "duty leave ask until": ["3 days"],
        "duty leave reduce until": ["3 days"],
        "history retention days": ["off", "30"],
      },
    };
    this.walker = new Walker({
      person: this.#person,
      channel: general,
      stock: this.stock,
      doing: (what) => this.mark(what),
      turn: () => this.turn(),
    });
  }

  /** Looks at what the bot sends no longer. */
  close(): void {
    unsubscribe(REQUEST_MADE, this.#onSent);
  }

  mark(what: string): void {
    this.#steps.push({ what, from: this.rig.discord.traffic.length });
  }

  /** Resolves when the next thing may be done. */
  turn(): Promise<void> {
    return this.#turns.next();
  }

  /** Who types, where, and what. */
  typing(person = this.#person) {
    return { person, channel: this.home.general, stock: this.stock, turn: () => this.turn() };
  }

  /** Each command that there is, with each of its options. */
  async everything(
    only: (line: string) => boolean = () => true,
    trying: Trying = "each value",
  ): Promise<void> {
    const typing = { ...this.typing(), trying };
    for (const line of ORDERED.filter(({ line: path }) => only(path))) {
      // The guided message chooses other roles on the way.
      if (line.line.startsWith("run ")) await this.allow();
      for await (const given of invocations(line, typing)) {
        await this.walker.open(line.line, given);
        if (!areAllWorlds && LONG.test(line.line)) break;
      }
    }
  }

  /** Everything may be run from now on by staff, of whom the owner is one. */
  async allow(): Promise<void> {
    const { owner, general, staffRole } = this.home;
    await (await owner.slash(general, "staff allow", { role: staffRole, tier: "manager" })).settled();
  }

  /** The owner types it, and the answer says such a thing. */
  async reads(line: string, given: Given, then: RegExp): Promise<void> {
    const { owner, general } = this.home;
    this.mark(`/${line}`);
    await this.turn();
    await reads(await owner.slash(general, line, given), then);
  }

  /** Runs a command until its answer says or offers such a thing, and opens what it offers. */
  async run(text: string, offers: RegExp): Promise<void> {
    const { owner, general } = this.home;
    this.mark(`/run command ${text}`);
    const exchange = await owner.slash(general, "run command", { text });
    await this.ended(exchange, offers);
    await this.walker.openPosted(answerOf(exchange));
  }

  /** Waits until the answer says such a thing, or offers such a button. */
  async ended(exchange: Exchange, offers: RegExp): Promise<void> {
    await exchange.settled(
      ({ message, text: said }) => message !== undefined && offers.test(said),
      PATIENCE_MS,
    );
  }

  /** The least of each command, typed by somebody; nothing behind it is opened. */
  async briefly(person: Person, isWanted: (line: string) => boolean): Promise<void> {
    const { general, guild } = this.home;
    const typing = { ...this.typing(person), trying: "first and last" } as const;
    const offered = person.commands(general).map(({ name }) => name);
    for (const line of LINES.filter(
      ({ line: path }) => isWanted(path) && offered.includes(path.split(" ")[0] ?? ""),
    )) {
      for await (const given of invocations(line, typing)) {
        this.mark(`/${line.line} by ${person.member.displayName} of ${guild.name}`);
        const exchange = await person.slash(general, line.line, given);
        if (exchange.kind !== "modal") await exchange.settled();
        break;
      }
    }
  }

  /** Each thing that is wrong, with what was done when it was said. */
  problems(): readonly string[] {
    const { guild, general, staffRole } = this.home;
    const decoys = new Set(this.decoyIds);
    const named = [...guild.roles, ...guild.channels, ...guild.members].map(({ id }) => id);
    const nameable: Nameable = {
      ids: new Set([...named, general.id, staffRole.id].filter((id) => !decoys.has(id))),
      commandIds: new Set(this.rig.discord.commands().map(({ id }) => id)),
      decoyIds: this.decoyIds,
    };
    const { traffic } = this.rig.discord;
    const found = traffic.flatMap((entry, index) => {
      if (isRepeatedAnswer(entry, traffic, this.#sent)) return [];
      return problemsOf(entry, nameable).map((problem) => {
        const step = this.#steps.findLast(({ from }) => from <= index)?.what ?? "at the start";
        return `${step}\n    ${problem}`;
      });
    });
    return [...new Set([...found, ...this.walker.unanswered])];
  }

  /** `expected` are refusals by Discord that a test brought about. */
  assertClean(expected = /^$/): void {
    for (const [kind, times] of this.walker.pressed) if (times > 0) PRESSED.add(kind.split(/[:#]/)[0] ?? "");
    const problems = this.problems().filter((problem) => !expected.test(problem));
    assert.equal(problems.length, 0, `${problems.length} problems\n${problems.slice(0, 40).join("\n")}`);
    const defects = this.rig.lines.filter((line) => /"level":(50|60)\b/.test(line));
    assert.deepEqual(defects, []);
  }
}

/** Someone who may do everything here, with a server that is linked. */
export async function settleIn(sweep: Sweep): Promise<void> {
  const { rig, home } = sweep;
  home.owner.member.addRole(home.staffRole);
  await rig.link();
  await sweep.allow();
}

/** Replays are offered only where positions are saved. */
export async function savePositions({ home }: Sweep): Promise<void> {
  const asked = await home.owner.slash(home.general, "history retention", { positions: "2" });
  await reads(asked, /Players are often children/);
  await reads(await home.owner.click(answerOf(asked), "Save them for 2 days"), /saved for \*\*2 days/);
}

export async function feeds(sweep: Sweep): Promise<readonly Channel[]> {
  const { rig, home } = sweep;
  const made: Channel[] = [];
  for (const [kind, list] of Object.entries(LIST_OF_FEED)) {
    const channel = home.guild.addChannel({ name: kind });
    await sweep.reads("feed add", { kind, channel }, /Feed added/);
    await rig.polled(list);
    made.push(channel);
  }
  return made;
}

/** Cases in a channel of their own, of players with hostile names, and somebody who is watched. */
export async function openCases(sweep: Sweep): Promise<void> {
  const { rig, home, walker, names } = sweep;
  const channel = home.guild.addChannel({ name: "cases" });
  await sweep.reads("setup cases", { channel }, /Cases are posted in/);
  await sweep.reads("setup watches", { channel }, /Joins of watched players/);
  await walker.open("player watch", { player: PLAIN, reason: names[0] ?? "", until: "7 days" });
  await walker.open("player show", { player: PLAIN });
  const [first, second] = rig.town.players;
  if (first === undefined || second === undefined) throw new Error("nobody is playing");
  rig.town.world.logCommand(first, `:ban ${second.name} ${names.join(" ").slice(0, 300)}`, false);
  rig.town.world.logCommand(second, `:kick ${names[3] ?? ""}`, false);
  rig.town.world.logCommand(second, ":jail all", false);
  for (const kind of ["Ban", "Kick", "Jail"]) {
    await walker.openPosted(await rig.posted(channel, `${kind} · case`));
  }
}

export async function withSweep(options: E2eOptions, work: (sweep: Sweep) => Promise<void>): Promise<void> {
  const rig = await E2eRig.start({ ...options, leaps: true });
  try {
    const sweep = new Sweep(rig);
    try {
      await work(sweep);
    } finally {
      sweep.close();
    }
  } finally {
    await rig.close();
  }
}
