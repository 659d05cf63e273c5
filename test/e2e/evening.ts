import assert from "node:assert/strict";
import type { Channel, Exchange, Message, Person, Value } from "../../src/sandbox/discord/types.ts";
import { answerOf, reads, textOf } from "./read.ts";
import type { Community, E2eRig } from "./rig.ts";

/** One person at the guided message: every press, choice and submitted form is counted. */
export class Evening {
  readonly rig: E2eRig;
  readonly owner: Person;
  presses = 0;
  pastedKeys = 0;
  #message: Message | undefined;

  constructor(rig: E2eRig, owner: Person) {
    this.rig = rig;
    this.owner = owner;
  }

  get message(): Message {
    if (this.#message === undefined) throw new Error("the guided message is not open");
    return this.#message;
  }

  get text(): string {
    return textOf(this.message);
  }

  async open(on: Message, label: string): Promise<void> {
    this.presses++;
    const exchange = await this.owner.click(on, label);
    await reads(exchange, /Set up Marshal/);
    this.#message = answerOf(exchange);
  }

  show(exchange: Exchange): void {
    this.#message = answerOf(exchange);
  }

  async click(label: string, then: RegExp): Promise<void> {
    this.presses++;
    await (await this.owner.click(this.message, label)).settled();
    await this.#until(then);
  }

  async choose(customId: string, values: readonly Value[], then: RegExp): Promise<void> {
    this.presses++;
    const select = this.message.components
      .flatMap((row) => row.components ?? [])
      .find(({ custom_id }) => custom_id?.startsWith(customId));
    await (await this.owner.select(this.message, select?.custom_id ?? customId, values)).settled();
    await this.#until(then);
  }

  /** A key that is asked about, or whatever else is read then. */
  async pasteKey(key: string, then = /Is this your server/, label = "Paste the key"): Promise<void> {
    this.rig.keys.add(key);
    this.presses++;
    const { modal } = await this.owner.click(this.message, label);
    assert.ok(modal !== undefined, "a form opens");
    this.presses++;
    this.pastedKeys++;
    await this.owner.submit(modal, { key });
    await this.#until(then);
  }

  /** A press that is answered beside the guided message, which stays as it is. */
  async pressAside(label: string, then: RegExp): Promise<void> {
    const before = this.text;
    await reads(await this.owner.click(this.message, label), then);
    assert.equal(this.text, before, "the guided message stays");
  }

  async #until(pattern: RegExp): Promise<void> {
    try {
      await this.rig.until(`${pattern} in the guided message`, () => pattern.test(this.text));
    } catch (error) {
      throw new Error(`the guided message reads:\n${this.text}`, { cause: error });
    }
  }
}

/** A community that invites the bot now; its owner holds a role. */
export function inviting(rig: E2eRig, name: string): Community & { readonly joins: Channel } {
  const community = rig.community(name);
  const { guild, general, owner } = community;
  guild.removeBot();
  guild.setSystemChannel(general);
  owner.member.addRole(guild.addRole({ name: "Owners" }));
  const joins = guild.addChannel({ name: "joins" });
  guild.addBot();
  return { ...community, joins };
}
