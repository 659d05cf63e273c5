import type { Choice, Form, FormValues, Options } from "../../src/discord/command.ts";
import {
  type AnswerRefusal,
  AnswerRefused,
  type InteractionResponder,
} from "../../src/discord/interactions/incoming.ts";
import type { MessageBody } from "../../src/domain/message.ts";

/** Records what a person sees of one interaction, and each call in order. */
export class FakeAnswers implements InteractionResponder {
  readonly place = { applicationId: "app", token: "token", untilMs: 0 };
  readonly calls: string[] = [];
  /** The answer itself; undefined while it "thinks" or after it was removed. */
  original: MessageBody | undefined;
  readonly followUps: { readonly body: MessageBody; readonly ephemeral: boolean }[] = [];
  given: Form | undefined;
  offered: readonly Choice[] | undefined;
  /** Refuses calls of that name from now on. */
  readonly refuse = new Map<string, AnswerRefusal>();
  /** Words that Discord calls harmful. */
  harmful: string | undefined;

  #read(body: MessageBody): void {
    if (this.harmful !== undefined && textOf(body).includes(this.harmful))
      throw new AnswerRefused("words", "refused: words");
  }

  async #call(name: string, note = name): Promise<void> {
    this.calls.push(note);
    const reason = this.refuse.get(name);
    if (reason !== undefined) throw new AnswerRefused(reason, `refused: ${reason}`);
  }

  async defer(first: string): Promise<void> {
    await this.#call("defer", `defer ${first}`);
  }

  async form(form: Form): Promise<void> {
    await this.#call("form");
    this.given = form;
  }

  async replyPrivately(body: MessageBody): Promise<void> {
    await this.#call("reply", "reply ephemeral");
    this.original = body;
  }

  async choices(choices: readonly Choice[]): Promise<void> {
    await this.#call("choices");
    this.offered = choices;
  }

  async edit(body: MessageBody, target: string): Promise<void> {
    await this.#call("edit", `edit ${target}`);
    this.#read(body);
    if (target === "@original") this.original = body;
    else
      this.followUps[Number(target)] = {
        body,
        ephemeral: this.followUps[Number(target)]?.ephemeral ?? false,
      };
  }

  async remove(): Promise<void> {
    await this.#call("remove");
    this.original = undefined;
  }

  async followUpPrivately(body: MessageBody): Promise<string> {
    await this.#call("followUp", "followUp ephemeral");
    this.#read(body);
    this.followUps.push({ body, ephemeral: true });
    return String(this.followUps.length - 1);
  }
}

/** All words of a body, as a person reads them. */
export function textOf(body: MessageBody | undefined): string {
  const cards = (body?.cards ?? []).flatMap(({ title, description, fields, footer }) => [
    title,
    description,
    ...(fields ?? []).flatMap(({ name, value }) => [name, value]),
    footer,
  ]);
  return [body?.content, ...cards].filter((part) => part !== undefined).join("\n");
}

export function optionsOf(values: Readonly<Record<string, string | number | boolean>> = {}): Options {
  const given = (name: string, required?: boolean) => {
    if (required && values[name] === undefined) throw new TypeError(`option ${name} is missing`);
    return values[name];
  };
  // A role whose id ends in "!" is one that Discord would not let the bot ping.
  const role = (name: string) => {
    const id = values[name];
    return typeof id === "string" ? { roleId: id, pingable: !id.endsWith("!") } : undefined;
  };
  return {
    string: given,
    number: given,
    boolean: given,
    id: given,
    person: () => undefined,
    role,
  } as Options;
}

export function formOf(values: Readonly<Record<string, string | readonly string[]>>): FormValues {
  return {
    text: (id) => (typeof values[id] === "string" ? values[id] : ""),
    chosen: (id) => (Array.isArray(values[id]) ? values[id] : []),
  };
}
