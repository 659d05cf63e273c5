import { stdSerializers } from "pino";
import { Failure, Postponed, SinkRefusal, StoreError } from "./domain/failure.ts";

/** What the messages of these say is all there is to know: nothing in the code has to be found. */
const EXPECTED = [Failure, Postponed, SinkRefusal, StoreError];
/** What is wrong in the code itself, wherever it comes to light. */
const DEFECTS = [TypeError, RangeError, ReferenceError, SyntaxError];
/** Causes of causes, at most: they may go round in a circle. */
const MOST_CAUSES = 8;

/**
 * An error as the log shows it, with its causes. One that is expected (a full disk, Discord that is away) comes without the
 * places in the code, nor do its causes: tens of such lines in an outage hide the one that says in words what is wrong.
 */
export function withoutStackWhereExpected(error: Error): object {
  const shown = stdSerializers.errWithCause(error);
  if (!EXPECTED.some((kind) => error instanceof kind)) return shown;
  let [part, serialized]: [unknown, unknown] = [error, shown];
  for (let depth = 0; depth < MOST_CAUSES && part instanceof Error && isObject(serialized); depth++) {
    const own = part;
    if (!DEFECTS.some((kind) => own instanceof kind)) delete serialized.stack;
    [part, serialized] = [part.cause, serialized.cause];
  }
  return shown;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
