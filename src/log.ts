import { Writable } from "node:stream";
import { type DestinationStream, type Level, pino, stdSerializers } from "pino";
import pretty from "pino-pretty";

/** What the wings log with: fields first, then a sentence without outside text. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
}

/** The log of the whole process: knows what must never be written. */
export interface RootLog extends Log {
  /** From now on this text is blanked wherever it would be written: each server key when it is opened or typed. */
  hide(secret: string): void;
  /** The same text without any known secret; for what leaves the process by another door, such as /state. */
  conceal(text: string): string;
}

export type LogLevel = Extract<Level, "debug" | "info" | "warn" | "error">;

export interface LogOptions {
  readonly level: LogLevel;
  readonly secrets?: readonly string[];
  /** For people at a terminal instead of JSON. */
  readonly pretty?: boolean;
  /** Takes each finished line, its line break included; absent: standard output. */
  readonly write?: (line: string) => void;
}

const hidden = "[hidden]";
/** Shorter texts stand in ordinary words: blanking them would shred the log, and none of them is a key. */
const shortestSecret = 6;

/** Keys that were typed and refused are hidden too: a flood of them must not fill the memory. */
const secretsKept = 50_000;

/** Fields that never hold anything fit for a log, whatever their value is. */
const secretFields = ["token", "key", "serverKey", "authorization", "password", "secret", "secretKey"];

/** The same names at any depth of the finished line, where paths do not reach (errors in errors). */
const secretInLine = /"(token|(?:server-?)?key|authorization|password|secret(?:key)?)":"(?:[^"\\]|\\.)*"/gi;

/** Tokens that Discord puts into addresses: who has one can answer in the bot's name for 15 minutes. */
const tokensInAddresses = /(\/(?:webhooks|interactions)\/\d+\/)[\w.%-]{16,}/g;

/** How a secret can stand in a line: as it is, in JSON, in JSON inside JSON, in an address, in a header. */
function formsOf(secret: string): ReadonlySet<string> {
  const json = JSON.stringify(secret).slice(1, -1);
  const forms = [secret, json, JSON.stringify(json).slice(1, -1), encodeForAddress(secret)];
  return new Set([...forms, Buffer.from(secret).toString("base64")]);
}

function encodeForAddress(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    // Half of a surrogate pair: no address can hold it.
    return secret;
  }
}

/**
 * Finds known secrets in text. Ten thousand keys may be known and each line is searched for all of them, so they
 * stand in a map by their first characters and a line is walked once.
 */
class Secrets {
  readonly #known = new Set<string>();
  readonly #byStart = new Map<string, Set<string>>();

  add(given: string): void {
    const secret = given.trim();
    if (secret.length < shortestSecret) return;
    const isNew = !this.#known.delete(secret);
    this.#known.add(secret);
    if (!isNew) return;
    for (const form of formsOf(secret)) {
      const start = form.slice(0, shortestSecret);
      this.#byStart.set(start, (this.#byStart.get(start) ?? new Set()).add(form));
    }
    const [oldest] = this.#known;
    if (oldest !== undefined && this.#known.size > secretsKept) this.#forget(oldest);
  }

  conceal(text: string): string {
    let clean = "";
    let from = 0;
    for (let at = 0; at + shortestSecret <= text.length; ) {
      const length = this.#lengthAt(text, at);
      if (length === 0) at += 1;
      else {
        clean += text.slice(from, at) + hidden;
        at += length;
        from = at;
      }
    }
    return (clean + text.slice(from)).replace(tokensInAddresses, `$1${hidden}`);
  }

  /** Of the longest secret that stands there: one that begins with another must not leave its end behind. */
  #lengthAt(text: string, at: number): number {
    let longest = 0;
    for (const form of this.#byStart.get(text.slice(at, at + shortestSecret)) ?? []) {
      if (form.length > longest && text.startsWith(form, at)) longest = form.length;
    }
    return longest;
  }

  #forget(secret: string): void {
    this.#known.delete(secret);
    for (const form of formsOf(secret)) {
      const start = form.slice(0, shortestSecret);
      const forms = this.#byStart.get(start);
      forms?.delete(form);
      if (forms?.size === 0) this.#byStart.delete(start);
    }
  }
}

/**
 * pino knows paths, not text: a key inside a message, an error or an address is blanked in the written line.
 * The line stays JSON: where blanking the text would break it (a secret of digits), it is blanked value by value.
 */
function concealLine(secrets: Secrets, line: string): string {
  const named = line.replace(secretInLine, `"$1":"${hidden}"`);
  const clean = secrets.conceal(named);
  if (clean === named) return clean;
  try {
    JSON.parse(clean);
    return clean;
  } catch {
    const parsed: unknown = JSON.parse(named);
    return `${JSON.stringify(parsed, (_key, value: unknown) => concealValue(secrets, value))}\n`;
  }
}

function concealValue(secrets: Secrets, value: unknown): unknown {
  if (typeof value === "string") return secrets.conceal(value);
  if (typeof value === "number") return secrets.conceal(String(value)) === String(value) ? value : hidden;
  return value;
}

/**
 * JSON lines on standard output, readable ones where `pretty` says so. Written at once: what was logged before a
 * crash is there after it.
 */
export function createLog(options: LogOptions): RootLog {
  const secrets = new Secrets();
  for (const secret of options.secrets ?? []) secrets.add(secret);
  const stream = options.pretty ? prettyTo(options.write) : plainTo(options.write);
  const logger = pino(
    {
      level: options.level,
      base: null,
      serializers: { err: stdSerializers.errWithCause, error: stdSerializers.errWithCause },
      redact: { paths: secretPaths(), censor: hidden },
      hooks: { streamWrite: (line) => concealLine(secrets, line) },
    },
    stream,
  );
  return Object.assign(logger, {
    hide: (secret: string) => secrets.add(secret),
    conceal: (text: string) => secrets.conceal(text),
  });
}

function plainTo(write: LogOptions["write"]): DestinationStream {
  return write === undefined ? pino.destination({ fd: 1, sync: true }) : { write };
}

function prettyTo(write: LogOptions["write"]): DestinationStream {
  if (write === undefined) return pretty({ destination: 1, sync: true });
  const destination = new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      write(line);
      done();
    },
  });
  return pretty({ destination, sync: true });
}

function secretPaths(): string[] {
  const names = ["server-key", "Authorization", ...secretFields];
  return names.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);
}
