import { type Level, pino, stdSerializers } from "pino";
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

/** Fields that never hold anything fit for a log, whatever their value is. */
const secretFields = ["token", "key", "serverKey", "authorization", "password", "secret", "secretKey"];
const headers = ['["server-key"]', "authorization", "Authorization"];

/** Tokens that Discord puts into addresses: who has one can answer in the bot's name for 15 minutes. */
const tokensInAddresses = /(\/(?:webhooks|interactions)\/\d+\/)[\w.%-]{16,}/g;

/**
 * Finds known secrets in text. Ten thousand keys may be known and each line is searched for all of them, so they
 * stand in a map by their first characters and a line is walked once.
 */
class Secrets {
  readonly #byStart = new Map<string, string[]>();

  add(secret: string): void {
    if (secret.trim().length < shortestSecret) return;
    const json = JSON.stringify(secret).slice(1, -1);
    const forms = [secret, secret.trim(), encodeURIComponent(secret), json];
    for (const form of [...forms, Buffer.from(secret).toString("base64")]) this.#addForm(form);
  }

  conceal(text: string): string {
    let clean = "";
    let from = 0;
    for (let at = 0; at + shortestSecret <= text.length; at++) {
      const found = this.#byStart
        .get(text.slice(at, at + shortestSecret))
        ?.find((form) => text.startsWith(form, at));
      if (found === undefined) continue;
      clean += text.slice(from, at) + hidden;
      from = at + found.length;
      at = from - 1;
    }
    return (clean + text.slice(from)).replace(tokensInAddresses, `$1${hidden}`);
  }

  #addForm(form: string): void {
    const start = form.slice(0, shortestSecret);
    const known = this.#byStart.get(start);
    if (known === undefined) this.#byStart.set(start, [form]);
    else if (!known.includes(form)) {
      known.push(form);
      // The longest first: a secret that begins with another one must not leave its end behind.
      known.sort((a, b) => b.length - a.length);
    }
  }
}

/**
 * pino knows paths, not text: a key inside a message, an error or an address is blanked in the written line.
 * The line stays JSON: where blanking the text would break it (a secret of digits), it is blanked value by value.
 */
function concealLine(secrets: Secrets, line: string): string {
  const clean = secrets.conceal(line);
  if (clean === line) return line;
  try {
    JSON.parse(clean);
    return clean;
  } catch {
    const parsed: unknown = JSON.parse(line);
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
  const { write } = options;
  const target = write === undefined ? pino.destination({ fd: 1, sync: true }) : { write };
  const stream = options.pretty ? pretty({ destination: target, sync: true }) : target;
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

function secretPaths(): string[] {
  const inHeaders = headers.flatMap((name) => {
    const tail = name.startsWith("[") ? name : `.${name}`;
    return [`headers${tail}`, `*.headers${tail}`];
  });
  return [...secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), ...inHeaders];
}
