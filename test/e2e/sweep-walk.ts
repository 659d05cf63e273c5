import type { APIApplicationCommandBasicOption } from "discord.js";
import type { Command, Entry } from "../../src/discord/command.ts";
import type { Channel, Exchange, Message, Modal, Person, Value } from "../../src/sandbox/discord/types.ts";
import type { Component } from "../../src/sandbox/discord/wire.ts";
import { PATIENCE_MS } from "./read.ts";

/** A command or sub-command that can be typed. */
export interface Line {
  readonly line: string;
  readonly options: readonly APIApplicationCommandBasicOption[];
}

/** Everything that can be typed, out of the only list of commands there is. */
export function linesOf(commands: readonly Command[]): readonly Line[] {
  const line = (path: string, { options = [] }: Entry): Line => ({ line: path, options });
  return commands.flatMap((command) => {
    if (!("subcommands" in command)) return [line(command.name, command.entry)];
    return Object.entries(command.subcommands).flatMap(([name, sub]) =>
      "subcommands" in sub
        ? Object.entries(sub.subcommands).map(([last, entry]) =>
            line(`${command.name} ${name} ${last}`, entry),
          )
        : [line(`${command.name} ${name}`, sub)],
    );
  });
}

/** What a person may choose where Discord offers roles, channels and people, and type where it takes words. */
export interface Stock {
  readonly member: { readonly id: string };
  readonly role: { readonly id: string };
  readonly channel: { readonly id: string };
  readonly texts: readonly string[];
  /** For options whose words lead somewhere, by `line option`. */
  readonly known: Readonly<Record<string, readonly string[]>>;
  /** Server keys: the guided message gets the first, every other form the last. */
  readonly keys: readonly string[];
}

export type Given = Readonly<Record<string, Value>>;

/** Each value of an option by itself; or all options with their first values, then with their last. */
export type Trying = "each value" | "first and last";

/** The least that a command needs, then its options with values that are worth trying. */
export async function* invocations({ line, options }: Line, typing: Typing): AsyncGenerator<Given> {
  const { stock, trying } = typing;
  const values = new Map<string, readonly Value[]>();
  for (const option of options) {
    const proposed = isProposing(option) ? await proposals(line, option.name, typing) : [];
    values.set(option.name, [
      ...(stock.known[`${line} ${option.name}`] ?? []),
      ...proposed,
      ...valuesOf(option, stock),
    ]);
  }
  const least: Record<string, Value> = {};
  for (const { name, required } of options) if (required === true) least[name] = values.get(name)?.[0] ?? "";
  yield least;
  if (trying === "first and last") {
    for (const at of [0, -1]) {
      const given = options.flatMap(({ name }) => {
        const value = values.get(name)?.at(at);
        return value === undefined ? [] : [[name, value] as const];
      });
      if (given.length > 0) yield Object.fromEntries(given);
    }
    return;
  }
  for (const { name, required } of options)
    for (const value of (values.get(name) ?? []).slice(required === true ? 1 : 0))
      yield { ...least, [name]: value };
}

interface Typing {
  readonly person: Person;
  readonly channel: Channel;
  readonly stock: Stock;
  /** Resolves when the next thing may be done. */
  readonly turn: () => Promise<void>;
  readonly trying: Trying;
}

function isProposing(option: APIApplicationCommandBasicOption): boolean {
  return "autocomplete" in option && option.autocomplete === true;
}

/** What autocompletion proposes for nothing, and for words that are meant badly. */
async function proposals(
  line: string,
  name: string,
  { person, channel, stock, turn }: Typing,
): Promise<readonly Value[]> {
  const found: Value[] = [];
  for (const typed of ["", ":pm ", ...stock.texts.slice(0, 2)]) {
    await turn();
    const choices = await person.autocomplete(channel, line, { [name]: typed }, name);
    found.push(...choices.slice(0, 2).map(({ value }) => value));
  }
  return [...new Set(found)].slice(0, 3);
}

function valuesOf(option: APIApplicationCommandBasicOption, stock: Stock): readonly Value[] {
  switch (option.type) {
    case 3: {
      if ("choices" in option && option.choices !== undefined)
        return option.choices.map(({ value }) => value);
      const { min_length: least = 0, max_length: most = 6_000 } = option;
      return stock.texts.map((text) => [...text.padEnd(least, "x")].slice(0, most).join(""));
    }
    case 4:
    case 10:
      return [option.min_value ?? 1, option.max_value ?? 1_000];
    case 5:
      return [true, false];
    case 6:
      return [stock.member];
    case 8:
      return [stock.role];
    default:
      return [stock.channel];
  }
}

/** A way to go from a command or a message: which parts are pressed one after the other. */
interface Way {
  readonly parts: readonly string[];
  /** How often it led elsewhere before its end. */
  readonly missed: number;
}

/** Where one stands: a message with what can be pressed, or a form. */
type Place = Pick<Exchange, "modal" | "message" | "followUps">;

const DEEPEST = 12;
const TIMES_EACH = 2;
/** What stands in an answer while a run waits, or until a list is read again, may be gone on the second way there. */
const MOST_MISSED = 3;

/** Opens commands and all that their answers offer: buttons, choices of menus, forms. */
export class Walker {
  readonly #person: Person;
  readonly #channel: Channel;
  readonly #stock: Stock;
  /** How often each kind of press was made. */
  readonly pressed = new Map<string, number>();
  /** Called before each thing that is done, with its words. */
  readonly #doing: (what: string) => void;
  /** Resolves when the next thing may be done. */
  readonly #turn: () => Promise<void>;
  readonly unanswered: string[] = [];

  constructor(parts: {
    person: Person;
    channel: Channel;
    stock: Stock;
    doing(what: string): void;
    turn(): Promise<void>;
  }) {
    this.#person = parts.person;
    this.#channel = parts.channel;
    this.#stock = parts.stock;
    this.#doing = parts.doing;
    this.#turn = parts.turn;
  }

  /** One command with these options, and everything behind it that was not opened often enough before. */
  async open(line: string, given: Given): Promise<void> {
    await this.#all(`/${line} ${JSON.stringify(given)}`, (words) =>
      this.#person.slash(this.#channel, line, given).then((exchange) => this.#settled(exchange, words)),
    );
  }

  /** Everything that stands under a message in a channel. */
  async openPosted(message: Message): Promise<void> {
    const what = `a message in #${message.channel.name}`;
    await this.#all(what, async () => ({ modal: undefined, message, followUps: [] }));
  }

  /** Goes every way; a press replaces what could be pressed beside it, so that each begins anew. */
  async #all(what: string, begin: (words: string) => Promise<Place>): Promise<void> {
    const ways: Way[] = [{ parts: [], missed: 0 }];
    for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
      this.#doing(what);
      await this.#turn();
      let place: Place | undefined = await begin(what);
      let parts: readonly string[] = [];
      let ahead = [...way.parts];
      while (place !== undefined && parts.length < DEEPEST) {
        if (ahead.length === 0) {
          const [now, ...later] = this.#unpressed(place);
          if (now === undefined) break;
          for (const part of later) ways.push({ parts: [...parts, part], missed: 0 });
          ahead = [now];
        }
        const part = ahead.shift() ?? "";
        const words = [what, ...parts, part].join(" > ");
        this.#doing(words);
        await this.#turn();
        const next: Exchange | undefined = await this.#press(place, part);
        if (next === undefined) {
          // A message that keeps its place begins elsewhere this time, perhaps further on.
          if (ahead.length > 0) continue;
          const again = way.parts.at(-1) === part ? way.parts : [...parts, part];
          if (way.missed < MOST_MISSED) ways.push({ parts: again, missed: way.missed + 1 });
          else this.#uncount(part);
          break;
        }
        parts = [...parts, part];
        place = await this.#settled(next, words);
      }
    }
  }

  #uncount(part: string): void {
    const kind = kindOf(part);
    this.pressed.set(kind, (this.pressed.get(kind) ?? 1) - 1);
  }

  /** Parts of which the like was not pressed often enough; counted as pressed. */
  #unpressed(place: Place): readonly string[] {
    const isGentle = (part: string) => Number(/^(?:run-queue|[a-z]+-no|setup-keep)[:#]/.test(part));
    // What changes nothing comes first: a key that is linked is not asked about again, what was cancelled waits no more,
    // and an unlinked server is not asked about.
    const parts = partsOf(place, this.#stock).toSorted((a, b) => isGentle(b) - isGentle(a));
    return parts.filter((part) => {
      const kind = kindOf(part);
      const times = this.pressed.get(kind) ?? 0;
      if (times < TIMES_EACH) this.pressed.set(kind, times + 1);
      return times < TIMES_EACH;
    });
  }

  async #settled(exchange: Exchange, words: string): Promise<Exchange> {
    if (exchange.kind === "none") this.unanswered.push(`${words}: no first answer`);
    else
      await exchange
        .settled(undefined, PATIENCE_MS)
        .catch(() => this.unanswered.push(`${words}: never ended`));
    return exchange;
  }

  /** `part` is the custom id, "#", and which choice or filling. Undefined where it does not stand there this time. */
  async #press(on: Place, part: string): Promise<Exchange | undefined> {
    const [customId = "", which = ""] = splitLast(part);
    if (on.modal !== undefined)
      return await this.#person.submit(on.modal, filled(on.modal, which, this.#stock));
    const kind = kindOf(part);
    for (const message of messagesOf(on)) {
      const all = message.components.flatMap((row) => row.components ?? []);
      const exact = all.find(({ custom_id }) => custom_id === customId);
      // Ids of one use are others each time: the kind counts.
      const found =
        exact ?? all.find(({ custom_id: id }) => id !== undefined && kindOf(`${id}#${which}`) === kind);
      if (found?.custom_id === undefined || found.disabled === true) continue;
      if (found.type === 2) return this.#person.click(message, found.custom_id);
      return this.#person.select(message, found.custom_id, chosen(found, which, this.#stock));
    }
    return undefined;
  }
}

/** What a press is, whatever it is about: ids, names and places in a list left out. */
function kindOf(part: string): string {
  const [id, which] = splitLast(part);
  const words = id.split(/[:|]/).map((word) => (/^[a-z-]{1,24}$/.test(word) ? word : "*"));
  return `${words.join(":")}#${which}`;
}

function splitLast(part: string): readonly [string, string] {
  const at = part.lastIndexOf("#");
  return [part.slice(0, at), part.slice(at + 1)];
}

function messagesOf({ message, followUps }: Place): readonly Message[] {
  return [...(message === undefined ? [] : [message]), ...followUps];
}

/** Everything that can be pressed, chosen or filled in there. */
function partsOf(exchange: Place, stock: Stock): readonly string[] {
  if (exchange.modal !== undefined)
    return ["hostile", "known"].map((which) => `${exchange.modal?.customId ?? ""}#${which}`);
  return messagesOf(exchange)
    .flatMap(({ components }) => components.flatMap((row) => row.components ?? []))
    .flatMap((part) => {
      const { custom_id: id, disabled } = part;
      if (id === undefined || disabled === true) return [];
      if (part.type === 2) return [`${id}#`];
      const isSame =
        JSON.stringify(chosen(part, "first", stock)) === JSON.stringify(chosen(part, "last", stock));
      return isSame ? [`${id}#first`] : [`${id}#first`, `${id}#last`];
    });
}

function chosen(component: Component, which: string, stock: Stock): readonly Value[] {
  const { type, options = [], min_values: least = 1 } = component;
  if (type === 3) {
    const from = which === "last" ? options.toReversed() : options;
    return from.slice(0, Math.max(1, least)).map(({ value }) => value);
  }
  if (type === 8) return [stock.channel];
  return [type === 5 ? stock.member : stock.role];
}

function filled(
  modal: Modal,
  which: string,
  stock: Stock,
): Readonly<Record<string, Value | readonly Value[]>> {
  const key = (modal.customId.startsWith("guide") ? stock.keys[0] : stock.keys.at(-1)) ?? "";
  return Object.fromEntries(
    modal.fields.map(({ customId, label, component }) => {
      if (component.type !== 4) return [customId, chosen(component, "first", stock)];
      const { min_length: least = 1, max_length: most = 4_000, value } = component;
      const good = /key/i.test(label) ? key : (value ?? "Night shift");
      const text = which === "known" ? good : (stock.texts[0] ?? "");
      return [customId, [...text.padEnd(least, "x")].slice(0, most).join("")];
    }),
  );
}
