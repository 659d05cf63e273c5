import { ACTORS, type Actor, type Ask, type Given } from "./protocol.ts";

/** Reads what came over the socket. Whoever speaks is on this machine, but a page of yesterday may speak an old tongue. */

/** A message that is not one of the protocol's. */
export class BadAsk extends Error {}

type Loose = Readonly<Record<string, unknown>>;

/** Throws BadAsk, in words, for anything that is not an Ask. */
export function parseAsk(raw: string): Ask {
  const ask = loose(parsed(raw), "a message");
  const text = (name: string) => string(ask[name], name);
  const ticket = () => number(ask.ticket, "ticket");
  switch (ask.type) {
    case "hello":
      return {
        type: "hello",
        actor: actor(ask.actor),
        ...(ask.channel === undefined ? {} : { channel: text("channel") }),
      };
    case "act-as":
      return { type: "act-as", actor: actor(ask.actor) };
    case "open":
    case "newest":
      return { type: ask.type, channelId: text("channelId") };
    case "older":
      return { type: "older", channelId: text("channelId"), beforeId: snowflake(ask.beforeId) };
    case "slash":
      return {
        type: "slash",
        ticket: ticket(),
        channelId: text("channelId"),
        line: text("line"),
        options: givens(ask.options),
      };
    case "autocomplete":
      return {
        type: "autocomplete",
        ticket: ticket(),
        channelId: text("channelId"),
        line: text("line"),
        options: givens(ask.options),
        focused: text("focused"),
      };
    case "click":
      return {
        type: "click",
        ticket: ticket(),
        channelId: text("channelId"),
        messageId: text("messageId"),
        customId: text("customId"),
      };
    case "select":
      return {
        type: "select",
        ticket: ticket(),
        channelId: text("channelId"),
        messageId: text("messageId"),
        customId: text("customId"),
        values: strings(ask.values, "values"),
      };
    case "submit":
      return { type: "submit", ticket: ticket(), modalId: text("modalId"), values: givens(ask.values) };
    case "post":
      return { type: "post", ticket: ticket(), channelId: text("channelId"), text: text("text") };
    case "lever":
      return { type: "lever", ticket: ticket(), id: text("id") };
    default:
      throw new BadAsk("nothing of this name can be asked");
  }
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    throw new BadAsk("a message that is not JSON");
  }
}

function loose(value: unknown, name: string): Loose {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new BadAsk(`${name} is no object`);
  return Object.fromEntries(Object.entries(value));
}

function string(value: unknown, name: string): string {
  if (typeof value !== "string") throw new BadAsk(`${name} is no text`);
  return value;
}

function number(value: unknown, name: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw new BadAsk(`${name} is no number`);
  return value;
}

function snowflake(value: unknown): string {
  const id = string(value, "beforeId");
  if (!/^\d{1,20}$/.test(id)) throw new BadAsk("beforeId is no id");
  return id;
}

function strings(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value)) throw new BadAsk(`${name} is no list`);
  return value.map((one) => string(one, name));
}

function actor(value: unknown): Actor {
  const found = ACTORS.find((one) => one === value);
  if (found === undefined) throw new BadAsk("nobody of this name can be acted as");
  return found;
}

function givens(value: unknown): Readonly<Record<string, Given>> {
  return Object.fromEntries(
    Object.entries(loose(value, "options")).map(([name, given]): [string, Given] => {
      if (typeof given === "string" || typeof given === "number" || typeof given === "boolean")
        return [name, given];
      return [name, strings(given, name)];
    }),
  );
}
