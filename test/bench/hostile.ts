import { setTimeout as sleep } from "node:timers/promises";
import { EMPTY_POLICY, type Feed } from "../../src/domain/guild.ts";
import type { Clock, Random } from "../../src/domain/ports/clock.ts";
import type { RunRecord } from "../../src/domain/run.ts";
import { ServerKey } from "../../src/domain/server-key.ts";
import type { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import type { Channel, Message, Person } from "../../src/sandbox/discord/types.ts";
import { createAuditLog } from "../../src/store/audit/audit-log.ts";
import { createBindings } from "../../src/store/bindings.ts";
import * as schemas from "../../src/store/document-schemas.ts";
import { createFeedStore } from "../../src/store/feed-store.ts";
import type { Store } from "../../src/store/keyv-documents.ts";
import { openStore } from "../../src/store/open-store.ts";
import { loadSecret } from "../../src/store/secret-file.ts";
import { createSettings } from "../../src/store/settings.ts";
import { createVault } from "../../src/store/vault.ts";
import { seededRandom } from "../support/clock.ts";
import { feedKinds, keyOf } from "./communities.ts";

/** Servers that it has linked: as many as a guild may. */
const SERVERS = 10;
/** Further servers that it asks for by their keys: those are good, and linked by nobody. */
const SPARE_KEYS = 490;
/** So many more servers than the quiet ones' must the service know. */
export const HOSTILE_KEYS = SERVERS + SPARE_KEYS;
/** More than a search may read. */
const AUDIT_ROWS = 5_000;
const ACTS_PER_S = 35;
/** Commands and cases that its staff asks for, beside all that. */
const WORK_PER_S = 60;
const MANAGERS = 10;
const MODERATORS = 30;
const MEMBERS = 30;
const CARDS_KEPT = 50;
/** What people read where the bound of a guild's interactions holds. */
const REFUSED = "Too many people are using Marshal";

/** One guild whose people, staff among them, do everything that costs the bot something, all at once and all the time. */
export class HostileGuild {
  /** What was done, and how often. */
  readonly done = new Map<string, number>();
  /** Commands and cases that were answered, and those of them that were taken on. */
  asked = 0;
  accepted = 0;
  readonly #random = seededRandom(3);
  /** The index of its first server; those of the quiet communities come before. */
  readonly #firstKey: number;
  readonly #guildId: string;
  readonly #general: Channel;
  readonly #logs: readonly Channel[];
  readonly #staffRoleId: string;
  readonly #managers: readonly Person[];
  readonly #moderators: readonly Person[];
  readonly #members: readonly Person[];
  readonly #cards: { readonly person: Person; readonly message: Message }[] = [];
  #bindingIds: readonly string[] = [];
  #typedKeys = 0;
  #playerId = "";

  constructor(discord: EmulatedDiscord, firstKey: number) {
    this.#firstKey = firstKey;
    const guild = discord.addGuild({ name: "Hostile", ownerName: "Mallory" });
    const staff = guild.addRole({ name: "Staff" });
    const admin = guild.addRole({ name: "Admin", permissions: ["ManageGuild"] });
    this.#guildId = guild.id;
    this.#staffRoleId = staff.id;
    this.#general = guild.addChannel({ name: "general" });
    this.#logs = feedKinds.map((kind) => guild.addChannel({ name: `log-${kind}` }));
    const people = (
      count: number,
      name: string,
      ...roles: Parameters<typeof guild.addMember>[0]["roles"] & object
    ) => Array.from({ length: count }, (_, n) => discord.as(guild.addMember({ name: `${name}${n}`, roles })));
    this.#managers = people(MANAGERS, "manager", admin, staff);
    this.#moderators = people(MODERATORS, "moderator", staff);
    this.#members = people(MEMBERS, "member");
  }

  /** Writes what it has set up, and a long audit, into a store in which the quiet communities are. */
  async settle(
    storeUrl: string,
    { clock, random }: { readonly clock: Clock; readonly random: Random },
  ): Promise<void> {
    const store = await openStore(storeUrl, { runsIn: "caller" });
    try {
      const { bindings } = createBindings({
        documents: store.documents("bindings", schemas.parseGuildBindings, "normal"),
        vault: createVault({ secret: await loadSecret({ storeUrl, hasSealed: async () => false }) }),
        clock,
        random,
        serversPerGuild: SERVERS,
        hideSecret: () => undefined,
      });
      const settings = createSettings(store.documents("settings", schemas.parseSettings, "normal"));
      const feeds = createFeedStore(store.documents("feeds", schemas.parseFeed, "normal"));
      const bindingIds: string[] = [];
      for (let n = 0; n < SERVERS; n += 1) {
        const link = { guildId: this.#guildId, key: new ServerKey(keyOf(this.#firstKey + n)), byUserId: "1" };
        const { binding } = await bindings.link({ ...link, status: statusOf(n) });
        await bindings.onFinished(binding);
        bindingIds.push(binding.id);
        const [kind = "joins", channel] = [feedKinds[n % feedKinds.length], this.#logs[n % feedKinds.length]];
        const feed: Feed = {
          id: random.id(),
          guildId: this.#guildId,
          bindingId: binding.id,
          kind,
          filter: {},
          channelId: channel?.id ?? "",
          style: kind === "modCalls" ? "cards" : "lines",
          silent: false,
          state: "live",
          createdBy: "1",
          createdAtMs: clock.nowMs(),
        };
        await feeds.save(feed);
      }
      this.#bindingIds = bindingIds;
      const policy = { ...EMPTY_POLICY, roleTiers: { [this.#staffRoleId]: "moderator" as const } };
      const policies = Object.fromEntries(bindingIds.map((id) => [id, policy]));
      await settings.change(this.#guildId, (before) => ({ ...before, policies }));
      await this.#fillAudit(store, clock);
    } finally {
      await store.close();
    }
  }

  async #fillAudit(store: Store, clock: Clock): Promise<void> {
    const audit = createAuditLog({
      runs: store.documents("audit-runs", schemas.parseRun, "normal"),
      events: store.documents("audit-events", schemas.parseEvent, "normal"),
      lists: store.documents("audit-lists", schemas.parseDayList, "normal"),
      pages: store.documents("audit-pages", schemas.parseListPage, "normal"),
      open: store.documents("audit-open", schemas.parseOpenMark, "normal"),
      pause: () => Promise.resolve(),
    });
    for (let n = 0; n < AUDIT_ROWS; n += 1) {
      const row: RunRecord = {
        id: `old-${n}`,
        guildId: this.#guildId,
        bindingId: this.#bindingIds[n % 3] ?? "",
        verb: "h",
        source: "s".repeat(64) as RunRecord["source"],
        serverName: "Town",
        actorId: `${n % 50}`,
        actorName: "member",
        actorRoleIds: [],
        origin: "command",
        text: `:h hello ${n}`,
        channelId: "1",
        askedAtMs: clock.nowMs() - n,
        status: "denied",
        ran: "no",
        proof: "unchecked",
      };
      await audit.put(row);
    }
  }

  /** Acts until the signal is aborted, whether or not the acts before were answered. */
  async act(signal: AbortSignal): Promise<void> {
    const others = this.#repeat((count) => this.#one(count), ACTS_PER_S, signal);
    await Promise.all([others, this.work(signal)]);
  }

  /** Only its staff's commands and cases. */
  async work(signal: AbortSignal): Promise<void> {
    await this.#meetPlayer(signal);
    await this.#repeat((count) => this.#work(count), WORK_PER_S, signal);
  }

  async #repeat(one: (count: number) => Promise<void>, perS: number, signal: AbortSignal): Promise<void> {
    const underWay = new Set<Promise<void>>();
    const startMs = performance.now();
    for (let count = 0; !signal.aborted; count += 1) {
      const waitMs = startMs + (count * 1_000) / perS - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      const work = one(count).catch(() => undefined);
      underWay.add(work);
      void work.then(() => underWay.delete(work));
    }
    await Promise.all(underWay);
  }

  /**
   * Waits for a player whom the history knows, as they are offered while a person types: later, when its staff asks for more
   * than it may, nobody is offered, and no case is made.
   */
  async #meetPlayer(signal: AbortSignal): Promise<void> {
    while (this.#playerId === "" && !signal.aborted) {
      const typed = { player: "a", server: this.#pick(this.#bindingIds) };
      const moderator = this.#pick(this.#moderators);
      const choices = await moderator.autocomplete(this.#general, "case add", typed, "player");
      this.#playerId = String(choices[0]?.value ?? "");
      if (this.#playerId === "") await sleep(500);
    }
  }

  /** A command that the moderators may run, or a case. */
  async #work(count: number): Promise<void> {
    const moderator = this.#pick(this.#moderators);
    const server = this.#pick(this.#bindingIds);
    const exchange =
      count % 3 === 0
        ? await moderator.slash(this.#general, "case add", {
            player: this.#playerId,
            kind: "note",
            reason: `note ${count}`,
            server,
          })
        : await moderator.slash(this.#general, "run command", { text: `:h hello ${count}`, server });
    this.asked += 1;
    const { text } = await exchange.settled();
    if (text.includes(REFUSED)) return;
    this.accepted += 1;
  }

  async #one(count: number): Promise<void> {
    const general = this.#general;
    const [manager, moderator, member] = [this.#managers, this.#moderators, this.#members].map((some) =>
      this.#pick(some),
    );
    const server = this.#pick(this.#bindingIds);
    if (manager === undefined || moderator === undefined || member === undefined) return;
    const draw = this.#random.next();
    const act = (what: string) => this.done.set(what, (this.done.get(what) ?? 0) + 1);
    if (draw < 0.2) {
      act("scans of the audit");
      await manager.slash(general, "audit search", { text: "nothing like this" });
    } else if (draw < 0.22) {
      act("exports");
      await manager.slash(general, "audit export", { format: "csv" });
    } else if (draw < 0.32) {
      act("histories asked for without a role");
      await member.slash(general, "run history", { server });
    } else if (draw < 0.52) {
      act("refused commands");
      await member.slash(general, "run command", { text: `:ban all ${count}`, server });
    } else if (draw < 0.7) {
      act("typing");
      const typed = { text: this.#pick([":kick a", ":pm b", ":k"]), server };
      await this.#pick([moderator, member]).autocomplete(general, "run command", typed, "text");
    } else if (draw < 0.82) {
      act("statuses of its servers");
      const exchange = await moderator.slash(general, "server status", { server });
      if (exchange.message !== undefined) this.#keep(moderator, exchange.message);
    } else if (draw < 0.9) {
      const card = this.#cards.find(({ message }) => message.components.length > 0);
      if (card === undefined) return;
      act("presses");
      await card.person.click(card.message, "Refresh");
    } else await this.#typeKey(manager, act);
  }

  async #typeKey(manager: Person, act: (what: string) => void): Promise<void> {
    act("keys typed");
    const { modal } = await manager.slash(this.#general, "setup link");
    if (modal === undefined) return;
    const n = this.#typedKeys++;
    const key = n % 20 === 0 ? `wrong-${n}` : keyOf(this.#firstKey + SERVERS + (n % SPARE_KEYS));
    await manager.submit(modal, { key });
  }

  #keep(person: Person, message: Message): void {
    this.#cards.push({ person, message });
    if (this.#cards.length > CARDS_KEPT) this.#cards.shift();
  }

  #pick<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.#random.next() * values.length)];
    if (value === undefined) throw new Error("nothing to pick from");
    return value;
  }
}

function statusOf(n: number) {
  return {
    name: `Hostile ${n}`,
    ownerId: 9_000_000 + n,
    coOwnerIds: [],
    currentPlayers: 12,
    maxPlayers: 40,
    joinKey: `hostile${n}`,
    accVerifiedReq: "Disabled",
    teamBalance: true,
  };
}
