import { seededRandom, VirtualClock } from "../support/clock.ts";
import { LimitedDiscord } from "./posting-discord.ts";
import { type Entry, Feed, type FeedOptions } from "./posting-feed.ts";
import { Attempts, PostingProcess } from "./posting-process.ts";

const START_MS = 15_000;
const SITUATION_MS = 60_000;

export interface Delay {
  readonly atMs: number;
  readonly ms: number;
  readonly isFlood: boolean;
}

export interface TownOptions {
  readonly guilds: number;
  readonly feeds: number;
  readonly entriesPerS: number;
  readonly floodGuilds: number;
  readonly floodFeeds: number;
  readonly floodPerS: number;
}

/** A receipt, a card, an alert: posted once; a card is edited when its call is answered. */
interface Urgent {
  readonly id: number;
  readonly nonce: number;
  readonly channelId: string;
  readonly wantedMs: number;
  readonly isAnswered: boolean;
  hasTried: boolean;
}

/** Communities whose messages go through the real turns to a Discord with its real limits, on a virtual clock. */
export class Town {
  readonly clock = new VirtualClock();
  readonly random = seededRandom(7);
  readonly discord = new LimitedDiscord(this.clock, this.random);
  readonly feeds: Feed[] = [];
  readonly delays: Delay[] = [];
  /** From being wanted to standing there. */
  readonly urgent: Delay[] = [];
  /** From one renewal of a panel to the next. */
  readonly panelAges: Delay[] = [];
  readonly panelsShown = new Set<string>();
  readonly startMs = this.clock.monotonicMs();
  waitingEntries = 0;
  readonly #options: TownOptions;
  /** Posts that are stored as owed. */
  readonly #owed = new Set<Urgent>();
  #process = this.#newProcess();
  /** Resolves when the process runs. */
  #runs: Promise<void> = Promise.resolve();
  #made = 0;
  #nonces = 0;

  constructor(options: TownOptions) {
    this.#options = options;
    const { guilds, feeds, entriesPerS } = options;
    const all = Array.from({ length: feeds }, (_, at) => 1 / (at + 1)).reduce((sum, one) => sum + one, 0);
    for (let at = 0; at < feeds; at++) {
      const perS = entriesPerS / (at + 1) / all;
      this.#addFeed({ channel: `g${at % guilds}.f${at}`, perS, isFlood: false });
    }
    for (let at = 0; at < options.floodGuilds * options.floodFeeds; at++) {
      const channel = `flood${at % options.floodGuilds}.f${at}`;
      this.#addFeed({ channel, perS: options.floodPerS, isFlood: true });
    }
  }

  get nowMs(): number {
    return this.clock.monotonicMs() - this.startMs;
  }

  start(): void {
    for (const feed of this.feeds) this.#nextEntry(feed);
    // One call, one and a half receipts and half an alert a second; of ten calls seven are answered.
    this.#urgently("call", 1, 0.7);
    this.#urgently("receipt", 1.5, 0);
    this.#urgently("alert", 0.5, 0);
    for (let guild = 0; guild < this.#options.guilds; guild++) void this.#panel(`g${guild}.panel`);
  }

  /** The process ends wherever it is; the next one comes, and each feed has to read its channel. */
  kill(): void {
    this.#process.kill();
    for (const feed of this.feeds) feed.onKilled();
    this.#runs = this.clock.sleep(START_MS).then(() => {
      this.#process = this.#newProcess();
      for (const feed of this.feeds) feed.run(this.#process);
      for (const urgent of this.#owed) void this.#bring(urgent);
    });
  }

  /** Of all entries and urgent posts: how many stand nowhere and are not owed, and how many stand more than once. */
  judge(): { readonly lost: number; readonly repeated: number } {
    const owed = new Set([...this.feeds.flatMap((feed) => feed.owed), ...this.#owed].map(({ id }) => id));
    const { standing } = this.discord;
    let lost = 0;
    for (let id = 1; id <= this.#made; id++) if (!standing.has(id) && !owed.has(id)) lost += 1;
    return { lost, repeated: [...standing.values()].filter((times) => times > 1).length };
  }

  #newProcess(): PostingProcess {
    return new PostingProcess({
      clock: this.clock,
      discord: this.discord,
      random: () => this.random.next(),
    });
  }

  #addFeed(options: FeedOptions): void {
    const onPosted = (entries: readonly Entry[], { isFlood }: Feed) => {
      this.waitingEntries -= entries.length;
      for (const { atMs } of entries) this.#note(this.delays, atMs, isFlood);
    };
    const { clock, discord } = this;
    this.feeds.push(new Feed(options, { clock, discord, nonce: () => ++this.#nonces, onPosted }));
  }

  #exponentialMs(perS: number): number {
    return (-Math.log(1 - this.random.next()) / perS) * 1_000;
  }

  #nextEntry(feed: Feed): void {
    this.clock.after(this.#exponentialMs(feed.perS), () => {
      feed.add({ id: ++this.#made, atMs: this.clock.monotonicMs() });
      this.waitingEntries += 1;
      if (this.#process.isAlive) feed.run(this.#process);
      this.#nextEntry(feed);
    });
  }

  #urgently(what: string, perS: number, answered: number): void {
    this.clock.after(this.#exponentialMs(perS), () => {
      const guild = Math.floor(this.random.next() * this.#options.guilds);
      const urgent: Urgent = {
        id: ++this.#made,
        nonce: ++this.#nonces,
        channelId: `g${guild}.${what}`,
        wantedMs: this.clock.monotonicMs(),
        isAnswered: this.random.next() < answered,
        hasTried: false,
      };
      this.#owed.add(urgent);
      if (this.#process.isAlive) void this.#bring(urgent);
      this.#urgently(what, perS, answered);
    });
  }

  async #bring(urgent: Urgent): Promise<void> {
    const process = this.#process;
    const { channelId, id, nonce } = urgent;
    const attempts = new Attempts(urgent.hasTried);
    for (let stands = false; !stands; ) {
      const request = attempts.mustRead ? "read" : "send";
      const came = await process.attempt({ class: "first", channelId, request }, attempts, () => {
        urgent.hasTried = true;
        return { nonce, brings: [id] };
      });
      if (came === undefined) return;
      if (came.outcome !== "taken") continue;
      attempts.mustRead = false;
      stands = request === "send" || came.standing.includes(id);
    }
    this.#owed.delete(urgent);
    this.discord.acknowledge(channelId, [id]);
    this.#note(this.urgent, urgent.wantedMs, false);
    if (!urgent.isAnswered) return;
    await this.clock.sleep(SITUATION_MS);
    await this.#edit(channelId, "change");
  }

  async #panel(channelId: string): Promise<void> {
    await this.#edit(channelId, "first");
    this.panelsShown.add(channelId);
    for (;;) {
      const shownMs = this.clock.monotonicMs();
      await this.clock.sleep(60_000);
      await this.#edit(channelId, "refresh");
      this.#note(this.panelAges, shownMs, false);
    }
  }

  /** To do it twice does nothing twice, so it is done anew after a kill. */
  async #edit(channelId: string, wanted: "first" | "change" | "refresh"): Promise<void> {
    const attempts = new Attempts(false);
    for (;;) {
      await this.#runs;
      const came = await this.#process.attempt({ class: wanted, channelId, request: "edit" }, attempts);
      if (came?.outcome === "taken") return;
    }
  }

  #note(to: Delay[], fromMs: number, isFlood: boolean): void {
    const nowMs = this.clock.monotonicMs();
    to.push({ atMs: nowMs - this.startMs, ms: nowMs - fromMs, isFlood });
  }
}
