import { textOf } from "../discord/text.ts";
import type { Message } from "../discord/types.ts";
import type { PlayerRef } from "../service/town/record.ts";
import type { Stage } from "../stage.ts";

/** What `/me link` shows, as it is typed in the chat of the game. */
const CODE = /:log marshal \d+/;
/** Regulars of the town who are staff there. */
const REGULAR_STAFF = [0, 4, 5] as const;

/** Plays the part of staff in the game who link their accounts: each pull is another one of them. */
export class LinkCodes {
  readonly #stage: Stage;
  readonly #typedBy = new Set<number>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Types the newest code that still waits. Returns what happened, in words. */
  type(): string {
    const command = this.#newest();
    if (command === undefined) return "No code waits: type /me link first";
    const { id, name } = this.#someone();
    this.#typedBy.add(id);
    this.#stage.town.say({ id, name }, command);
    return `${name} types ${command} in the game`;
  }

  #newest(): string | undefined {
    const { discord, cast } = this.#stage;
    const seen: Message[] = [cast.owner, cast.moderator, cast.member].flatMap((member) =>
      cast.guild.channels.flatMap((channel) => discord.messages(channel, { as: member })),
    );
    const waiting = seen.filter((message) => CODE.test(textOf(message)));
    const newest = waiting.sort((a, b) => a.createdAtMs - b.createdAtMs).at(-1);
    return newest && CODE.exec(textOf(newest))?.[0];
  }

  /** Staff who are in the game and have typed no code yet; where there is none, one comes in. */
  #someone(): PlayerRef {
    const { town } = this.#stage;
    const here = () => town.world.staffHere().map(({ ref }) => ref);
    if (here().length === 0) {
      for (const index of REGULAR_STAFF) {
        const { name, id } = town.world.person(index);
        town.join(name, id);
      }
    }
    const all = here();
    const [first = town.world.person(0)] = all;
    return all.find(({ id }) => !this.#typedBy.has(id)) ?? first;
  }
}
