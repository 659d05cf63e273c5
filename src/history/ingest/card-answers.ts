import type { CallOnCard } from "../../domain/ports/mod-calls.ts";
import type { CardAnswer, Link } from "./recorded-answer.ts";
import type { Place } from "./store-logs.ts";

/** Calls that staff claimed or resolved on a card count as answered by them: the game does not know of it. */

export interface CardAnswerPorts {
  /** The calls on the cards of a server. */
  callsOnCards(bindingId: string): readonly CallOnCard[];
  /** The account in the game to which a member is linked. */
  accountOf(guildId: string, userId: string): Promise<Required<CardAnswer>["by"] | undefined>;
}

const MS_PER_S = 1_000;

/** What changed on the cards of each server since it was stored. */
export class CardAnswers {
  readonly #ports: CardAnswerPorts;
  /** By linked server: how each call stood on its card when that was stored. */
  readonly #stored = new Map<string, ReadonlyMap<string, string>>();

  constructor(ports: CardAnswerPorts) {
    this.#ports = ports;
  }

  /** What is new, and what to call when it is stored. */
  async changes(
    links: readonly Link[],
  ): Promise<{ readonly answers: readonly CardAnswer[]; readonly onStored: () => void }> {
    const answers: CardAnswer[] = [];
    const seen = new Map<string, ReadonlyMap<string, string>>();
    for (const { guildId, bindingId } of links) {
      const before = this.#stored.get(bindingId) ?? new Map<string, string>();
      const calls = Map.groupBy(this.#ports.callsOnCards(bindingId), keyOf);
      const now = new Map([...calls].map(([key, same]) => [key, JSON.stringify(same)]));
      seen.set(bindingId, now);
      for (const [key, same] of calls) {
        const isNew = now.get(key) !== before.get(key);
        // A call that nobody ever had is as it is stored.
        if (!isNew || (!before.has(key) && same.every(({ taken }) => taken === undefined))) continue;
        for (const call of same) answers.push(await this.#answerOf(guildId, bindingId, call));
      }
    }
    return {
      answers,
      onStored: () => {
        for (const [bindingId, calls] of seen) this.#stored.set(bindingId, calls);
      },
    };
  }

  async #answerOf(
    guildId: string,
    bindingId: string,
    { caller, atS, taken }: CallOnCard,
  ): Promise<CardAnswer> {
    const call = { bindingId, caller, atS };
    if (taken === undefined) return { ...call, answeredS: atS };
    const by = (await this.#ports.accountOf(guildId, taken.userId)) ?? {
      name: taken.userName ?? taken.userId,
    };
    return { ...call, by, answeredS: Math.max(atS, Math.floor(taken.atMs / MS_PER_S)) };
  }
}

function keyOf({ caller, atS }: Pick<CallOnCard, "caller" | "atS">): string {
  return JSON.stringify([caller.name, caller.id, atS]);
}

/** Writes who took each call on its card; one that was let go is open again. What the game says of a call stays. */
export async function storeCardAnswers(place: Place, answers: readonly CardAnswer[]): Promise<void> {
  for (const same of Map.groupBy(answers, keyOf).values()) {
    const [first] = same;
    const caller = first === undefined ? undefined : place.book.numberOf(first.caller, first.atS);
    if (first !== undefined && caller !== undefined) await storeOf(place, { caller, atS: first.atS }, same);
  }
}

async function storeOf(
  { db, scope, book }: Place,
  { caller, atS }: { readonly caller: number; readonly atS: number },
  answers: readonly CardAnswer[],
): Promise<void> {
  const calls = await db
    .selectFrom("mod_calls")
    .select(["n", "moderator", "answered_s", "open_s"])
    .where("scope", "=", scope)
    .where("at_s", "=", atS)
    .where("caller", "=", caller)
    .orderBy("n")
    .execute();
  // To the second: the game's answers lie between two looks.
  const left = calls.filter(
    ({ moderator, answered_s, open_s }) =>
      moderator === null || (answered_s !== null && answered_s === open_s),
  );
  for (const { by, answeredS } of answers) {
    const call = left.shift();
    if (call === undefined) return;
    const moderator = by === undefined ? null : (book.numberOf(by, answeredS) ?? null);
    const knownS = moderator === null ? null : answeredS;
    if (call.moderator === moderator && call.answered_s === knownS) continue;
    await db
      .updateTable("mod_calls")
      .set({ moderator, answered_s: knownS, open_s: knownS })
      .where("scope", "=", scope)
      .where("at_s", "=", atS)
      .where("caller", "=", caller)
      .where("n", "=", call.n)
      .execute();
  }
}
