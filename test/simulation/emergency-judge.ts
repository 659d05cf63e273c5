import type { MessageBody } from "../../src/domain/message.ts";
import type { Look, Looks } from "./looks.ts";
import { type Emergency, emergencyTokenOf, lastingAt, type SimServer, startedAtS } from "./world.ts";

interface Followed {
  readonly server: SimServer;
  /** The feed was asked for: calls from before are not its business. */
  readonly sinceMs: number;
  /** By the number of a call: its cards without, and with, the mark of a possible repeat. */
  readonly plain: Map<number, number>;
  readonly marked: Map<number, number>;
  readonly ended: Set<number>;
  /** Spans of which a notice says that calls may be missing, seconds. */
  readonly told: { readonly fromS: number; readonly toS: number }[];
  expecting: boolean;
}

export interface EmergencyVerdict {
  readonly calls: number;
  /** Shown by an answer that was kept, and without a card. */
  readonly callsLost: number;
  readonly callsRepeated: number;
  /** Ended, and their card says that they go on. */
  readonly callsOpen: number;
  /** Shown by an answer that reached the bot and was not kept, over by the next, and neither posted nor told. */
  readonly callsForgotten: number;
}

/** Counts cards of emergency calls against the calls that answers showed: each once, ended when it has ended. */
export class EmergencyJudge {
  readonly #followed = new Map<string, Followed>();
  readonly #looks: Looks;

  constructor(looks: Looks) {
    this.#looks = looks;
  }

  follow(channelId: string, server: SimServer, nowMs: number): void {
    this.#followed.set(channelId, {
      server,
      sinceMs: nowMs,
      plain: new Map(),
      marked: new Map(),
      ended: new Set(),
      told: [],
      expecting: true,
    });
  }

  stopExpecting(channelId: string): void {
    const feed = this.#followed.get(channelId);
    if (feed !== undefined) feed.expecting = false;
  }

  posted(channelId: string, body: MessageBody): void {
    this.#noteTold(channelId, body);
    for (const number of numbersIn(body)) {
      const feed = this.#followed.get(channelId);
      if (feed === undefined) throw new Error(`an emergency call in ${channelId}, which nobody follows`);
      const counts = textOf(body).includes("Possibly repeated") ? feed.marked : feed.plain;
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    this.edited(channelId, body);
  }

  /** A notice names the span in which calls may have been lost. */
  #noteTold(channelId: string, body: MessageBody): void {
    const content: string = body.content ?? "";
    const times = [...content.matchAll(/<t:(\d+):T>/g)].map(([, second]) => Number(second));
    const [fromS, toS = fromS] = times;
    if (fromS === undefined || toS === undefined || !/emergency calls?/i.test(content)) return;
    this.#followed.get(channelId)?.told.push({ fromS, toS });
  }

  edited(channelId: string, body: MessageBody): void {
    if (!textOf(body).includes("Ended after")) return;
    for (const number of numbersIn(body)) this.#followed.get(channelId)?.ended.add(number);
  }

  verdict(examples: string[]): EmergencyVerdict {
    const sums = { calls: 0, callsLost: 0, callsRepeated: 0, callsOpen: 0, callsForgotten: 0 };
    for (const [channelId, feed] of this.#followed) {
      if (!feed.expecting) continue;
      const shown = shownBy(feed, this.#looks.withCalls(feed.server));
      for (const call of shown) {
        const plain = feed.plain.get(call.number) ?? 0;
        const all = plain + (feed.marked.get(call.number) ?? 0);
        const token = emergencyTokenOf(feed.server, call);
        const say = (what: string) =>
          examples.push(
            `${what}: emergency ${token} of ${new Date(call.fromMs).toISOString()} in ${channelId}`,
          );
        sums.calls += 1;
        if (all === 0) {
          sums.callsLost += 1;
          say("lost");
        }
        if (plain > 1) {
          sums.callsRepeated += plain - 1;
          say("repeated");
        }
      }
      for (const call of shownBy(feed, this.#looks.all(feed.server))) {
        const isPosted = feed.plain.has(call.number) || feed.marked.has(call.number);
        if (isPosted || shown.some(({ number }) => number === call.number)) continue;
        const atS = startedAtS(call);
        if (feed.told.some(({ fromS, toS }) => fromS <= atS && atS <= toS)) continue;
        sums.callsForgotten += 1;
        examples.push(
          `forgotten: emergency ${call.number} of ${new Date(call.fromMs).toISOString()} in ${channelId}`,
        );
      }
      // Whether a kept answer showed it or a power cut took that: whoever reads the card believes it.
      for (const number of new Set([...feed.plain.keys(), ...feed.marked.keys()])) {
        if (feed.ended.has(number)) continue;
        sums.callsOpen += 1;
        examples.push(`not ended: emergency ${number} of server ${feed.server.index} in ${channelId}`);
      }
    }
    return sums;
  }
}

/** The calls that some kept answer showed of those that began after the feed. */
function shownBy({ server, sinceMs }: Followed, looks: readonly Look[]): readonly Emergency[] {
  const shown = new Map<number, Emergency>();
  for (const { builtMs } of looks) {
    for (const call of lastingAt(server, builtMs)) {
      if (startedAtS(call) * 1_000 >= sinceMs) shown.set(call.number, call);
    }
  }
  return [...shown.values()];
}

function numbersIn(body: MessageBody): readonly number[] {
  return [...textOf(body).matchAll(/E\d+N(\d+)W/g)].map(([, number]) => Number(number));
}

function textOf({ cards }: MessageBody): string {
  return (cards ?? []).map((card) => card.description).join("\n");
}
