import { Writable } from "node:stream";
import { type DestinationStream, type Level, pino, stdSerializers } from "pino";
import pretty from "pino-pretty";
import { currentRequest } from "./domain/request-scope.ts";

/** The log of the wings: fields first, then a sentence without outside text. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
}

/** The log of the whole process, which blanks known secrets. */
export interface RootLog extends Log {
  /** Blanks this text from now on; called with each server key that is opened or typed. */
  hide(secret: string): void;
  /** The text without known secrets, for output that is not logged, such as /state. */
  conceal(text: string): string;
}

export type LogLevel = Extract<Level, "debug" | "info" | "warn" | "error">;

export interface LogOptions {
  readonly level: LogLevel;
  readonly secrets?: readonly string[];
  /** Lines for people at a terminal instead of JSON. @default false */
  readonly pretty?: boolean | undefined;
  /** Takes each finished line with its line break. @default standard output */
  readonly write?: ((line: string) => void) | undefined;
}

const HIDDEN = "[hidden]";
/** Shorter texts occur in ordinary words, so blanking them would destroy the log; no key is that short. */
const SHORTEST_SECRET_CHARACTERS = 6;

/** Refused keys are hidden too, so a flood of them must not fill the memory: the oldest are forgotten. */
const MOST_SECRETS = 50_000;

/** Fields whose values are never logged. */
const SECRET_FIELDS = ["token", "key", "serverKey", "authorization", "password", "secret", "secretKey"];

/** The same fields at any depth of the finished line, which pino's paths do not reach (errors in errors). */
const SECRET_IN_LINE = /"(token|(?:server-?)?key|authorization|password|secret(?:key)?)":"(?:[^"\\]|\\.)*"/gi;

/** Tokens in Discord's addresses; the holder of one can answer in the bot's name for 15 minutes. */
const TOKEN_IN_ADDRESS = /(\/(?:webhooks|interactions)\/\d+\/)[\w.%-]{16,}/g;

/** The forms of a secret in a line: as it is, in JSON, in JSON inside JSON, in an address, in a header. */
function formsOf(secret: string): ReadonlySet<string> {
  const json = JSON.stringify(secret).slice(1, -1);
  const forms = [secret, json, JSON.stringify(json).slice(1, -1), encodeForAddress(secret)];
  return new Set([...forms, Buffer.from(secret).toString("base64")]);
}

function encodeForAddress(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    // Half of a surrogate pair, which no address can hold.
    return secret;
  }
}

/**
 * Finds known secrets in text. Ten thousand keys may be known, so they are kept in a map by their first characters and
 * each line is walked once.
 */
class Secrets {
  readonly #known = new Set<string>();
  readonly #byStart = new Map<string, Set<string>>();

  add(given: string): void {
    const secret = given.trim();
    if (secret.length < SHORTEST_SECRET_CHARACTERS) return;
    const isNew = !this.#known.delete(secret);
    this.#known.add(secret);
    if (!isNew) return;
    for (const form of formsOf(secret)) {
      const start = form.slice(0, SHORTEST_SECRET_CHARACTERS);
      this.#byStart.set(start, (this.#byStart.get(start) ?? new Set()).add(form));
    }
    const [oldest] = this.#known;
    if (oldest !== undefined && this.#known.size > MOST_SECRETS) this.#forget(oldest);
  }

  conceal(text: string): string {
    let clean = "";
    let from = 0;
    for (let at = 0; at + SHORTEST_SECRET_CHARACTERS <= text.length; ) {
      const length = this.#lengthAt(text, at);
      if (length === 0) at += 1;
      else {
        clean += text.slice(from, at) + HIDDEN;
        at += length;
        from = at;
      }
    }
    return (clean + text.slice(from)).replace(TOKEN_IN_ADDRESS, `$1${HIDDEN}`);
  }

  /** Length of the longest secret at this place: a secret that begins with another must be blanked to its end. */
  #lengthAt(text: string, at: number): number {
    let longest = 0;
    for (const form of this.#byStart.get(text.slice(at, at + SHORTEST_SECRET_CHARACTERS)) ?? []) {
      if (form.length > longest && text.startsWith(form, at)) longest = form.length;
    }
    return longest;
  }

  #forget(secret: string): void {
    this.#known.delete(secret);
    for (const form of formsOf(secret)) {
      const start = form.slice(0, SHORTEST_SECRET_CHARACTERS);
      const forms = this.#byStart.get(start);
      forms?.delete(form);
      if (forms?.size === 0) this.#byStart.delete(start);
    }
  }
}

/**
 * Blanks secrets inside messages, errors and addresses, which pino's paths do not reach. The line stays JSON: where
 * blanking the text would break it (a secret of digits), it is blanked value by value.
 */
function concealLine(secrets: Secrets, line: string): string {
  const named = line.replace(SECRET_IN_LINE, `"$1":"${HIDDEN}"`);
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
  if (typeof value === "number") return secrets.conceal(String(value)) === String(value) ? value : HIDDEN;
  return value;
}

/**
 * Creates the log: JSON lines on standard output, or readable lines. Lines are written synchronously, so that those
 * before a crash are there after it.
 */
export function createLog(options: LogOptions): RootLog {
  const secrets = new Secrets();
  for (const secret of options.secrets ?? []) secrets.add(secret);
  const stream = options.pretty ? prettyTo(options.write) : plainTo(options.write);
  const logger = pino(
    {
      level: options.level,
      base: null,
      // What a person can quote stands in every line that came of it, down to the request to the game service.
      mixin: () => {
        const reference = currentRequest();
        return reference === undefined ? {} : { reference };
      },
      serializers: { err: stdSerializers.errWithCause, error: stdSerializers.errWithCause },
      redact: { paths: secretPaths(), censor: HIDDEN },
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
  const names = ["server-key", "Authorization", ...SECRET_FIELDS];
  return names.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);
}
