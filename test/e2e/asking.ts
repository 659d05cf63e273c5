import assert from "node:assert/strict";
import type { Exchange } from "../../src/sandbox/discord/types.ts";
import { answerOf, reads, textOf } from "./read.ts";
import type { E2eRig } from "./rig.ts";

/** What is recorded follows an answer of the service by a moment, and a database that is back by some more. */
const LOOK_EVERY_MS = 2_000;
const MOST_LOOKS = 120;

type Options = Readonly<Record<string, string | number | boolean>>;

/** Somebody of a rig's community who types commands into its general channel. */
export class Asking {
  readonly #rig: () => E2eRig;
  readonly #who: "owner" | "moderator";

  /** `rig`: the rig of the suite, once it has begun. */
  constructor(rig: () => E2eRig, who: "owner" | "moderator" = "moderator") {
    this.#rig = rig;
    this.#who = who;
  }

  /** Types a command whose answer must say this. */
  async reads(line: string, options: Options, then: RegExp): Promise<Exchange> {
    const { home } = this.#rig();
    const exchange = await home[this.#who].slash(home.general, line, options);
    await reads(exchange, then);
    return exchange;
  }

  /** Types a command again until its answer says this. */
  async comesToRead(line: string, options: Options, then: RegExp): Promise<Exchange> {
    const { home, clock } = this.#rig();
    for (let look = 1; ; look += 1) {
      const exchange = await home[this.#who].slash(home.general, line, options);
      await exchange.settled();
      if (then.test(textOf(answerOf(exchange)))) return exchange;
      if (look >= MOST_LOOKS) assert.fail(`${then} was not read; the answer is ${exchange.text}`);
      await clock.sleep(LOOK_EVERY_MS);
    }
  }
}
