import assert from "node:assert/strict";
import type { CommandEntry, Player } from "../../../src/domain/model.ts";
import type { VirtualClock } from "../../support/clock.ts";
import { player } from "../../support/runs-rig.ts";

/** Names with a shared beginning, so that a ban by the beginning of one may mean another. */
const STEMS = ["Ann", "Bob", "Cat", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jon", "Kit", "Lee", "Max"];
const NAMES = STEMS.flatMap((name) => [name, `${name}abel`, `${name}_2`]);
/** Somebody whom nobody bans: the server is empty only where the trial says so. */
const GUEST = player("Visitor", 999);
/** Where the service's epoch begins, by the monotonic clock of the test: no step of the wall moves it. */
const SERVICE_AHEAD_MS = 1_700_000_000_000;
const LOG_ROWS = 60;

/** A ban that stands in the game. */
interface Standing {
  readonly kind: "timed" | "other";
  /** Of a timed one, which. */
  readonly number: number;
  readonly atMs: number;
}

interface Timed {
  readonly playerId: number;
  readonly number: number;
  readonly atMs: number;
  readonly lastsMs: number;
  lifted: number;
  /** Somebody banned or un-banned the player since. */
  isOver: boolean;
}

interface Row extends CommandEntry {
  /** When the log shows it, by the monotonic clock. */
  readonly seenAtMs: number;
}

/** The game itself: who is banned by whom, its log, and the judge of each un-ban that Marshal sends by itself. */
export class BanTown {
  readonly clock: VirtualClock;
  readonly all: readonly Player[] = NAMES.map((name, index) => player(name, 101 + index));
  readonly timed: Timed[] = [];
  /** When Marshal read the log last. */
  readAtMs = 0;
  /** Bans that came after that look: nobody could have seen them. */
  unseeable = 0;
  early: string[] = [];
  #rows: Row[] = [];
  readonly #standing = new Map<number, Standing>();

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  get serviceAtMs(): number {
    return Math.floor((SERVICE_AHEAD_MS + this.clock.monotonicMs()) / 1_000) * 1_000;
  }

  /** Those who are in the server: nobody who is banned. */
  get present(): readonly Player[] {
    return [...this.all.filter(({ player: { id } }) => !this.#standing.has(id ?? 0)), GUEST];
  }

  get window(): readonly CommandEntry[] {
    const nowMs = this.clock.monotonicMs();
    const shown = this.#rows.filter(({ seenAtMs }) => seenAtMs <= nowMs).slice(-LOG_ROWS);
    return shown.map(({ seenAtMs: _, ...row }) => row);
  }

  isBanned(playerId: number): boolean {
    return this.#standing.has(playerId);
  }

  /** The timed ban of that player that stands and that nobody else has touched. */
  standsTimed(playerId: number): Timed | undefined {
    const standing = this.#standing.get(playerId);
    return standing?.kind === "timed" ? this.timed[standing.number] : undefined;
  }

  /** Somebody in the game, or another program, bans or un-bans. */
  type(verb: "ban" | "unban", who: Player, { by, word }: { by: "Moe" | undefined; word: string }): void {
    this.#log(`:${verb} ${word}`, by, 0);
    this.#touch(who.player.id ?? 0);
    if (verb === "ban") this.#stand(who.player.id ?? 0, "other");
    else this.#standing.delete(who.player.id ?? 0);
  }

  say(text: string): void {
    this.#log(text, "Moe", 0);
  }

  /** A command of Marshal's has run. `lastsMs`: the ban is to end. */
  run(
    text: string,
    { lastsMs, isLift }: { lastsMs: number | undefined; isLift: boolean },
    lagMs: number,
  ): void {
    this.#log(text, undefined, lagMs);
    const [, verb = "", id = ""] = /^:(ban|unban) (\d+)/.exec(text) ?? [];
    const playerId = Number(id);
    if (verb === "ban") {
      this.#touch(playerId);
      if (lastsMs === undefined) {
        this.#stand(playerId, "other");
        return;
      }
      const atMs = this.clock.monotonicMs();
      const before = this.#standing.get(playerId);
      // The log has whole seconds: which of two bans of one second came later cannot be known, and none is lifted.
      const isOver = before !== undefined && secondOf(before.atMs) === secondOf(atMs);
      this.#standing.set(playerId, { kind: "timed", number: this.timed.length, atMs });
      this.timed.push({ playerId, number: this.timed.length, atMs, lastsMs, lifted: 0, isOver });
    } else if (isLift) this.#judge(playerId);
    else {
      this.#touch(playerId);
      this.#standing.delete(playerId);
    }
  }

  #judge(playerId: number): void {
    const standing = this.#standing.get(playerId);
    const latest = this.timed.findLast((one) => one.playerId === playerId);
    assert.ok(latest !== undefined, `${playerId} was lifted, and no ban of theirs was to end`);
    if (standing !== undefined && standing.number !== latest.number) {
      assert.ok(standing.atMs >= this.readAtMs - 2_000, `${playerId} was lifted over a later ban`);
      this.unseeable += 1;
    }
    const lastedMs = this.clock.monotonicMs() - latest.atMs;
    assert.ok(
      lastedMs >= latest.lastsMs - 1_500,
      `${playerId} was lifted ${latest.lastsMs - lastedMs} ms early`,
    );
    latest.lifted += 1;
    assert.equal(latest.lifted, 1, `${playerId} was lifted twice`);
    this.#standing.delete(playerId);
  }

  #touch(playerId: number): void {
    for (const one of this.timed) if (one.playerId === playerId) one.isOver = true;
  }

  #stand(playerId: number, kind: Standing["kind"]): void {
    this.#standing.set(playerId, { kind, number: -1, atMs: this.clock.monotonicMs() });
  }

  #log(text: string, by: string | undefined, lagMs: number): void {
    const atS = secondOf(this.clock.monotonicMs());
    const who = by === undefined ? { name: "Remote Server" } : { name: by, id: 22 };
    const seenAtMs = this.clock.monotonicMs() + lagMs;
    this.#rows = [...this.#rows, { kind: "command", atS, player: who, text, seenAtMs } as const].slice(
      -LOG_ROWS * 2,
    );
  }
}

/** The second of the service's clock. */
function secondOf(monotonicMs: number): number {
  return Math.floor((SERVICE_AHEAD_MS + monotonicMs) / 1_000);
}
