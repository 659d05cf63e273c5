import { Writable } from "node:stream";
import { type DestinationStream, type Level, pino, stdSerializers } from "pino";
import pretty from "pino-pretty";
import { currentRequest } from "./domain/request-scope.ts";
import { HIDDEN, KnownSecrets } from "./known-secrets.ts";
import { withoutStackWhereExpected } from "./log-errors.ts";
import { safeLine, safePrettyLine } from "./log-text.ts";

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
  /** Blanks this text from now on; called with each server key that is opened or linked. */
  hide(key: string): void;
  /** Blanks what somebody typed, if it can be a server key, until the function that this returns is called. */
  hideTyped(text: string): () => void;
  /** The text without known secrets, for output that is not logged, such as /state. */
  conceal(text: string): string;
}

export type LogLevel = Extract<Level, "debug" | "info" | "warn" | "error">;

export interface LogOptions {
  readonly level: LogLevel;
  /** The host's own, such as its token: blanked for as long as the process runs. */
  readonly secrets?: readonly string[];
  /** Lines for people at a terminal instead of JSON. @default false */
  readonly pretty?: boolean | undefined;
  /** Takes each finished line with its line break. @default standard output */
  readonly write?: ((line: string) => void) | undefined;
}

/** Fields whose values are never logged. */
const SECRET_FIELDS = ["token", "key", "serverKey", "authorization", "password", "secret", "secretKey"];

/** The same fields at any depth of the finished line, which pino's paths do not reach (errors in errors). */
const SECRET_IN_LINE = /"(token|(?:server-?)?key|authorization|password|secret(?:key)?)":"(?:[^"\\]|\\.)*"/gi;

/**
 * Blanks secrets inside messages, errors and addresses, which pino's paths do not reach. The line stays JSON: where
 * blanking the text would break it (a secret of digits), it is blanked value by value.
 */
function concealLine(secrets: KnownSecrets, line: string): string {
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

function concealValue(secrets: KnownSecrets, value: unknown): unknown {
  if (typeof value === "string") return secrets.conceal(value);
  if (typeof value === "number") return secrets.conceal(String(value)) === String(value) ? value : HIDDEN;
  return value;
}

/**
 * Creates the log: JSON lines on standard output, or readable lines. Lines are written synchronously, so that those
 * before a crash are there after it.
 */
export function createLog(options: LogOptions): RootLog {
  const secrets = new KnownSecrets(options.secrets ?? []);
  const safe = options.pretty === true ? safePrettyLine : safeLine;
  // At debug level somebody looks for where it comes from.
  const shownError = options.level === "debug" ? stdSerializers.errWithCause : withoutStackWhereExpected;
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
      serializers: { err: shownError, error: shownError },
      redact: { paths: secretPaths(), censor: HIDDEN },
      hooks: { streamWrite: (line) => safe(concealLine(secrets, line)) },
    },
    stream,
  );
  return Object.assign(logger, {
    hide: (key: string) => secrets.addKey(key),
    hideTyped: (text: string) => secrets.addTyped(text),
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
