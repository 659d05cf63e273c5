import type { FeedKind } from "../../src/domain/feed-kinds.ts";
import type { Binding, Feed } from "../../src/domain/guild.ts";
import type {
  CommandEntry,
  JoinEntry,
  KillEntry,
  ModCallEntry,
  PlayerRef,
  Snapshot,
  SourceId,
} from "../../src/domain/model.ts";
import type { Random } from "../../src/domain/ports/clock.ts";

const kinds = ["joins", "kills", "modCalls", "commands"] as const;
const WINDOW_ROWS = 100;
const PLAYERS = 12;
const REGULARS = 120;

/** One server with a feed of each log, and what its logs show. */
export class FootprintTown {
  readonly binding: Binding;
  readonly feeds: readonly Feed[];
  readonly #random: Random;
  readonly #here: PlayerRef[] = [];
  readonly #joins: JoinEntry[] = [];
  readonly #kills: KillEntry[] = [];
  readonly #commands: CommandEntry[] = [];
  readonly #modCalls: ModCallEntry[] = [];

  constructor(index: number, random: Random) {
    this.#random = random;
    const guildId = String(10n ** 18n + BigInt(index));
    const bindingId = random.id();
    const source = index.toString(16).padStart(64, "a") as SourceId;
    const common = { guildId, name: `Town ${index}`, ownerId: index, joinKey: "join" };
    this.binding = { ...common, id: bindingId, source, linkedBy: guildId, linkedAtMs: 0 };
    this.feeds = kinds.map((kind: FeedKind, at) => ({
      id: random.id(),
      guildId,
      bindingId,
      kind,
      channelId: String(BigInt(guildId) + BigInt(at + 1)),
      style: kind === "modCalls" ? "cards" : "lines",
      filter: {},
      silent: false,
      state: "live",
      createdBy: guildId,
      createdAtMs: 0,
    }));
  }

  /** So many entries happen between these seconds, in the mix of the bench `schedule`; mod calls are answered. */
  live(entries: number, fromS: number, toS: number): void {
    for (let made = 0; made < entries; made++) {
      const atS = Math.floor(fromS + ((toS - fromS) * made) / entries);
      const draw = this.#random.next();
      const [one, other] = [this.#someone(), this.#someone()];
      if (draw < 0.5) this.#joins.push(this.#comesOrGoes(atS));
      else if (draw < 0.8) this.#kills.push({ kind: "kill", atS, killer: one, killed: other });
      else if (draw < 0.97)
        this.#commands.push({
          kind: "command",
          atS,
          player: one,
          text: `:pm ${other.name} follow the rules`,
        });
      else this.#modCalls.push({ kind: "modCall", atS, caller: one, moderator: other });
    }
    for (const list of [this.#joins, this.#kills, this.#commands, this.#modCalls])
      list.splice(0, list.length - WINDOW_ROWS);
  }

  /** As the service would answer; nothing of it is shared with this town, as nothing of an answer is. */
  snapshot(nowMs: number): Snapshot {
    const { source, name } = this.binding;
    const lists = {
      joinLogs: this.#joins,
      killLogs: this.#kills,
      commandLogs: this.#commands,
      modCalls: this.#modCalls,
    };
    const status = {
      name,
      ownerId: 1,
      coOwnerIds: [],
      currentPlayers: PLAYERS,
      maxPlayers: 40,
      joinKey: "join",
      accVerifiedReq: "Disabled",
      teamBalance: true,
    };
    const times = { askedAtMs: nowMs, takenAtMs: nowMs };
    return { source, ...times, status, lists: structuredClone(lists), skippedRows: {} };
  }

  /** The feeds stay: the wing holds them, the logs are this town's own. */
  forgetLogs(): void {
    for (const list of [this.#joins, this.#kills, this.#commands, this.#modCalls, this.#here])
      list.length = 0;
  }

  #comesOrGoes(atS: number): JoinEntry {
    const stays = this.#random.next() < 1 - this.#here.length / (2 * PLAYERS);
    const leaver = stays ? undefined : this.#here.shift();
    if (leaver !== undefined) return { kind: "join", atS, player: leaver, joined: false };
    const player = this.#someone();
    this.#here.push(player);
    return { kind: "join", atS, player, joined: true };
  }

  #someone(): PlayerRef {
    const index = Math.floor(this.#random.next() * REGULARS);
    return { name: `Player_Number_${index}`, id: 1_000_000_000 + index };
  }
}
