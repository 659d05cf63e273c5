import { Failure } from "../../domain/failure.ts";
import type { ServerStatus, SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { KeyRing } from "../../domain/ports/key-ring.ts";
import type { ServerKey } from "../../domain/server-key.ts";
import type { Gate } from "../gate.ts";
import { readStatus } from "../schema.ts";
import type { KeyDesk } from "./key-desk.ts";
import type { KeyGuard } from "./key-guard.ts";

export interface KeyVerification {
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly guard: KeyGuard;
  readonly desk: KeyDesk;
  readonly send: Gate["send"];
}

/** What a header can carry: anything else cannot be a key and is not worth a part of the budget. */
const KEY_SHAPE = /^[\x21-\x7e]{1,512}$/;

/**
 * Asks the service whose key somebody typed.
 * @throws Failure "key-rejected", whose words say how many more keys this guild may try; "denied" where it may try none.
 */
export async function verifyKey(
  parts: KeyVerification,
  { key, guildId }: { readonly key: ServerKey; readonly guildId: string },
): Promise<ServerStatus> {
  const { keys, clock, guard, desk, send } = parts;
  if (!KEY_SHAPE.test(key.reveal()))
    throw new Failure("key-rejected", "A server key has no spaces, line breaks or special letters.");
  const source = keys.sourceOf(key);
  if (guard.rejectedKeys.rememberedUntilMs(source, clock.nowMs()) !== undefined) {
    const words = "The service refused this key within the last day; it was not asked again.";
    throw withTries(new Failure("key-rejected", words), desk.typedTries(guildId));
  }
  // A key that another guild uses is judged as that guild's: if it is bad, both are to know.
  const isUsed = guard.parked(source) === undefined && (await isLinked(keys, source));
  const asked = send({
    source,
    key,
    route: "read",
    waitingClass: "person",
    path: "/v1/server",
    proving: !isUsed,
    guildId,
    turn: guildId,
  });
  const answered = await asked.catch((error: unknown) => {
    const isRefused = error instanceof Failure && error.code === "key-rejected";
    throw isRefused ? withTries(error, desk.typedTries(guildId)) : error;
  });
  desk.unpark(source);
  return readStatus(answered.json);
}

/** A copy that cannot be opened counts for none: to link the key again is what mends it. */
async function isLinked(keys: KeyRing, source: SourceId): Promise<boolean> {
  const key = await keys.keyOf(source).catch(() => undefined);
  return key !== undefined;
}

/** People type a second key as soon as the first was wrong, so they read before it what that may cost them. */
function withTries(refused: Failure, { left, fromMs }: ReturnType<KeyDesk["typedTries"]>): Failure {
  const { message, serviceCode } = refused;
  const code = serviceCode === undefined ? {} : { serviceCode };
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  if (left > 0) {
    const more = left === 1 ? "One more key" : `${left} more keys`;
    const words = `${sentence} ${more} can be tried here; after that linking waits for up to an hour.`;
    return new Failure("key-rejected", words, { ...code, cause: refused });
  }
  const again = fromMs === undefined ? {} : { retryAtMs: fromMs };
  const words = `${sentence} No other key can be tried here for now.`;
  return new Failure("key-rejected", words, { ...code, ...again, cause: refused });
}
