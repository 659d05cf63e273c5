import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";
import { PinoPretty } from "pino-pretty";

/** What wings know of logging. The first argument is data; text that people wrote belongs there, not in the message. */
export interface Log {
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}

/** Knows every secret of this process and takes it out of what is written. */
export interface Secrets {
  /** From now on this text never appears in a written line. Shorter than 4 characters: ignored, it would hit words. */
  hide(secret: string): void;
  /** The text with each known secret replaced by `[hidden]`. */
  redact(text: string): string;
}

export interface LogOptions {
  readonly level: string;
  readonly secrets: Secrets;
  /** Readable lines for a person at a terminal, instead of JSON. */
  readonly pretty?: boolean;
  /** Where lines go; default the standard output. */
  readonly destination?: DestinationStream;
}

const hidden = "[hidden]";

/** Fields that hold a secret wherever they stand; their value is never written, known or not. */
const secretFields = ["token", "key", "serverKey", "server-key", "authorization", "Authorization", "headers"];

const leastSecretLength = 4;
/** A key that was typed and refused is hidden too; a flood of them must not fill the memory. */
const secretsKept = 50_000;

/** A secret can stand in a line as itself, in JSON's escapes, or encoded in an address. */
function formsOf(secret: string): ReadonlySet<string> {
  return new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
}

/**
 * An empty set of secrets. Forms are found by their first characters, so that a line costs its own length and not
 * the number of secrets: a large host knows tens of thousands of keys.
 */
export function createSecrets(): Secrets {
  const known = new Set<string>();
  const byStart = new Map<string, Set<string>>();

  function forget(secret: string): void {
    known.delete(secret);
    for (const form of formsOf(secret)) byStart.get(form.slice(0, leastSecretLength))?.delete(form);
  }

  function longestAt(text: string, at: number): string | undefined {
    let longest: string | undefined;
    for (const form of byStart.get(text.slice(at, at + leastSecretLength)) ?? []) {
      if (text.startsWith(form, at) && form.length > (longest?.length ?? 0)) longest = form;
    }
    return longest;
  }

  return {
    hide(secret) {
      if (secret.length < leastSecretLength) return;
      known.delete(secret);
      known.add(secret);
      for (const form of formsOf(secret)) {
        const start = form.slice(0, leastSecretLength);
        byStart.set(start, (byStart.get(start) ?? new Set()).add(form));
      }
      const oldest = known.size > secretsKept ? known.values().next().value : undefined;
      if (oldest !== undefined) forget(oldest);
    },
    redact(text) {
      let clean = "";
      let copiedTo = 0;
      for (let at = 0; at + leastSecretLength <= text.length; ) {
        const found = longestAt(text, at);
        if (found === undefined) {
          at += 1;
          continue;
        }
        clean += text.slice(copiedTo, at) + hidden;
        at += found.length;
        copiedTo = at;
      }
      return copiedTo === 0 ? text : clean + text.slice(copiedTo);
    },
  };
}

/**
 * pino with two nets: secret fields by path, and, since pino redacts paths and not text, every known secret in the
 * finished line, wherever it came from (design 8).
 */
export function createLog({ level, secrets, pretty = false, destination }: LogOptions): Logger {
  const paths = secretFields.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);
  const options: LoggerOptions = {
    level,
    base: null,
    redact: { paths, censor: hidden },
    hooks: { streamWrite: (line: string) => secrets.redact(line) },
  };
  const stream = pretty
    ? PinoPretty({
        translateTime: "HH:MM:ss",
        ignore: "pid,hostname",
        ...(destination ? { destination } : { sync: true }),
      })
    : destination;
  return stream === undefined ? pino(options) : pino(options, stream);
}
