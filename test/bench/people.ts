import { setTimeout as sleep } from "node:timers/promises";
import type { EmulatedDiscord } from "../../src/sandbox/discord/discord.ts";
import type { Exchange, Message } from "../../src/sandbox/discord/types.ts";
import { seededRandom } from "../support/clock.ts";
import type { Community } from "./communities.ts";

export interface PeopleOptions {
  /** Interactions a second, of all communities together. */
  readonly perS: number;
  /** Called with each interaction. */
  beside(): void;
}

/** People of all communities, who do what people do at random moments. */
export class People {
  /** First answers by what was done, milliseconds. */
  readonly times = new Map<string, number[]>();
  readonly failures: string[] = [];
  posts = 0;
  edits = 0;
  readonly #communities: readonly Community[];
  readonly #random = seededRandom(2);
  readonly #statusCards: { readonly community: Community; readonly message: Message }[] = [];

  readonly #options: PeopleOptions;
  readonly #leave: () => void;

  constructor(discord: EmulatedDiscord, communities: readonly Community[], options: PeopleOptions) {
    this.#communities = communities;
    this.#options = options;
    const guilds = new Set(communities.map(({ guild }) => guild));
    this.#leave = discord.on((event) => {
      if (event.type === "interaction-answered") {
        // Others may type too: only these communities are measured.
        if (guilds.has(event.exchange.person.guild)) this.#answered(event.exchange);
      } else if (event.type === "message-created" && event.message.interaction === undefined) this.posts += 1;
      else if (event.type === "message-edited" && event.message.interaction === undefined) this.edits += 1;
    });
  }

  /** Listens no longer. */
  leave(): void {
    this.#leave();
  }

  forget(): void {
    this.times.clear();
    this.failures.length = 0;
    this.posts = 0;
    this.edits = 0;
  }

  /** Interactions come as a Poisson stream, whether or not those before have been answered. */
  async act(forMs: number): Promise<void> {
    const underWay = new Set<Promise<void>>();
    const startMs = performance.now();
    for (let atMs = 0; ; ) {
      atMs += (-Math.log(1 - this.#random.next()) / this.#options.perS) * 1_000;
      if (atMs >= forMs) break;
      const waitMs = startMs + atMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      this.#options.beside();
      const done = this.#one().catch((error: unknown) => void this.failures.push(String(error)));
      underWay.add(done);
      void done.then(() => underWay.delete(done));
    }
    await Promise.all(underWay);
  }

  async #one(): Promise<void> {
    const community = this.#pick(this.#communities);
    const { general, owner, moderator, member } = community;
    const draw = this.#random.next();
    if (draw < 0.2) {
      const exchange = await this.#does("/server status", () => member.slash(general, "server status"));
      if (exchange.message !== undefined) this.#keep({ community, message: exchange.message });
    } else if (draw < 0.3) {
      const card = this.#statusCards.find(({ message }) => message.components.length > 0);
      if (card === undefined) return;
      this.#statusCards.splice(this.#statusCards.indexOf(card), 1);
      const person = card.community.moderator;
      await this.#does("button Refresh", () => person.click(card.message, "Refresh"));
    } else if (draw < 0.4) {
      await this.#does("/server players", () => moderator.slash(general, "server players"));
    } else if (draw < 0.6) {
      const typed = this.#pick([":", ":ki", ":kick ", ":pm a"]);
      await moderator.autocomplete(general, "run command", { text: typed }, "text");
    } else if (draw < 0.7) {
      await this.#does("/run command", () => moderator.slash(general, "run command", { text: ":h Welcome" }));
    } else if (draw < 0.75) {
      const options = { text: ":kick Someone", dry: true };
      await this.#does("/run command dry", () => moderator.slash(general, "run command", options));
    } else if (draw < 0.85) await this.#does("/feed list", () => owner.slash(general, "feed list"));
    else if (draw < 0.93) await this.#does("/setup link", () => owner.slash(general, "setup link"));
    else await this.#does("/help", () => member.slash(general, "help"));
  }

  async #does(what: string, act: () => Promise<Exchange>): Promise<Exchange> {
    const exchange = await act();
    if (exchange.kind === "none") this.failures.push(`${what} was not answered`);
    this.#add(what, exchange.answeredAfterMs);
    return exchange;
  }

  /** Typing has no exchange of its own that a person sees: it is noted as it is answered. */
  #answered(exchange: Exchange): void {
    if (exchange.kind === "choices") this.#add("typing in /run command", exchange.answeredAfterMs);
  }

  #add(what: string, ms: number | undefined): void {
    if (ms === undefined) return;
    const times = this.times.get(what) ?? [];
    times.push(ms);
    this.times.set(what, times);
  }

  #keep(card: { readonly community: Community; readonly message: Message }): void {
    this.#statusCards.push(card);
    if (this.#statusCards.length > 200) this.#statusCards.shift();
  }

  #pick<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.#random.next() * values.length)];
    if (value === undefined) throw new Error("nothing to pick from");
    return value;
  }
}
