import { Failure } from "../../domain/failure.ts";
import type { ServerStatus, SourceId } from "../../domain/model.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { KeyRing } from "../../domain/ports/key-ring.ts";
import type { TypedBy, TypedTries } from "../../domain/ports/service-client.ts";
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
  { key, by }: { readonly key: ServerKey; readonly by: TypedBy },
): Promise<ServerStatus> {
  const { keys, guard, desk, send } = parts;
  if (!KEY_SHAPE.test(key.reveal()))
    throw new Failure("key-rejected", "A server key has no spaces, line breaks or special characters.", {
      wants: "key",
    });
  const source = keys.sourceOf(key);
  if (wasRefused(parts, guard, key)) {
    const words = "That key was refused in the last day, so Marshal did not try it again.";
    throw withTries(new Failure("key-rejected", words), desk.typedTries(by));
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
    typedBy: by,
    turn: by.guildId,
  });
  const answered = await asked.catch((error: unknown) => {
    const isRefused = error instanceof Failure && error.code === "key-rejected";
    throw isRefused ? withTries(inPlainWords(error), desk.typedTries(by)) : error;
  });
  desk.unpark(source);
  return readStatus(answered.json);
}

/** Whether the service refused it so lately that it is not asked again. */
export function wasRefused(
  { keys, clock }: Pick<KeyVerification, "keys" | "clock">,
  guard: KeyGuard,
  key: ServerKey,
): boolean {
  return guard.rejectedKeys.rememberedUntilMs(keys.sourceOf(key), clock.nowMs()) !== undefined;
}

/** A copy that cannot be opened counts for none: to link the key again is what mends it. */
async function isLinked(keys: KeyRing, source: SourceId): Promise<boolean> {
  const key = await keys.keyOf(source).catch(() => undefined);
  return key !== undefined;
}

/** What the service says of an unknown key is about its requests; the person only needs to know what is wrong. */
const WRONG_KEY_CODES: readonly (number | undefined)[] = [2000, 2001, 2002, undefined];

/** People type a second key as soon as the first was wrong, so they read before it what that may cost them. */
function withTries(refused: Failure, { left, fromMs }: TypedTries): Failure {
  const { message, serviceCode } = refused;
  const code = serviceCode === undefined ? {} : { serviceCode };
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  if (left > 0) {
    const tries = left === 1 ? "1 try left" : `${left} tries left`;
    const words = `${sentence} ${tries}, then you have to wait up to an hour (too many wrong keys get Marshal banned).`;
    return new Failure("key-rejected", words, { ...code, wants: "key", cause: refused });
  }
  const again = fromMs === undefined ? {} : { retryAtMs: fromMs };
  const words = `${sentence} No tries left for now.`;
  return new Failure("key-rejected", words, { ...code, ...again, wants: "key", cause: refused });
}

function inPlainWords(refused: Failure): Failure {
  if (!WRONG_KEY_CODES.includes(refused.serviceCode)) return refused;
  const { serviceCode } = refused;
  return new Failure("key-rejected", "That key is wrong or expired.", { serviceCode, cause: refused });
}
