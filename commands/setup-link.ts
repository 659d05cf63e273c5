import type { Form, Press, Reply } from "../src/discord/command.ts";
import { linkedCard } from "../src/discord/render/setup-cards.ts";
import { isThisAKey, isThisYours, keyLock } from "../src/discord/render/setup-key-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import { TOO_MANY_KEYS } from "../src/domain/key-lock.ts";
import type { ServerStatus } from "../src/domain/model.ts";
import type { JustLinked, PendingLink } from "../src/domain/ports/pending-links.ts";
import type { TypedTries } from "../src/domain/ports/service-client.ts";
import { ServerKey } from "../src/domain/server-key.ts";
import { recordEvent } from "./audit-event.ts";
import { cleanKey, linkForm, looksLikeKey } from "./setup-key.ts";

/** From a pasted key to a linked server: nothing is saved before the person has seen whose server it is. */

const DAY_MS = 24 * 60 * 60_000;

/** The linked server whose owner made this new key. */
function sameServer(status: ServerStatus, bindings: readonly Binding[]): Binding | undefined {
  return bindings.find(({ ownerId, joinKey }) => ownerId === status.ownerId && joinKey === status.joinKey);
}

interface VerifiedKey {
  readonly status: ServerStatus;
  readonly pendingId: string;
  readonly replaces: Binding | undefined;
}

/** What was pasted, and which roles the form made moderators. */
export interface PastedKey {
  readonly actor: Actor;
  readonly pasted: string;
  readonly roleIds: readonly string[];
}

/** Whose server it is; or a question first, where it does not look like a key. */
export type ReadKey =
  | ({ readonly kind: "verified" } & VerifiedKey)
  | { readonly kind: "odd"; readonly pendingId: string; readonly tries: TypedTries };

/**
 * Asks the service whose key it is, and keeps it in memory until the person says Yes. What does not look like a key costs no
 * request before they have said that it is one. Rejects with a Failure.
 */
export async function readPastedKey(
  { actor, pasted, roleIds }: PastedKey,
  services: Services,
): Promise<ReadKey> {
  const key = new ServerKey(cleanKey(pasted.trim()));
  // What was refused already is answered at once: to ask whether it is a key would call its next try a cost.
  if (looksLikeKey(key.reveal()) || services.keyVerifier.wasRefused(key))
    return await verifyHidden(key, { actor, roleIds }, services);
  const { guildId, userId } = actor;
  const tries = typedTries(guildId, services);
  const { left, fromMs, hasUnanswered } = tries;
  // Whatever they say, it could not be sent; unless it is the key that got no answer.
  if (left === 0 && fromMs !== undefined && hasUnanswered !== true) {
    throw new Failure("denied", `That doesn't look like a server key. ${TOO_MANY_KEYS}`, {
      retryAtMs: fromMs,
    });
  }
  return { kind: "odd", pendingId: services.pendingLinks.put({ key, guildId, userId, roleIds }), tries };
}

/** It is a key, they said. Rejects as `readPastedKey`, and with Failure "expired" where it has been forgotten. */
export async function readOddKey(
  pendingId: string,
  actor: Actor,
  services: Services,
): Promise<ReadKey & { readonly roleIds: readonly string[] }> {
  const pending = services.pendingLinks.take(pendingId, actor);
  if (pending === undefined) throw forgotten();
  const { key, roleIds } = pending;
  return { ...(await verifyHidden(key, { actor, roleIds }, services)), roleIds };
}

/** How many wrong keys may still be typed here, and from when on where none may now. */
export function typedTries(guildId: string, services: Services): TypedTries {
  const linked = services.bindings.linkedOf(guildId);
  return services.keyVerifier.typedTries({ guildId, isKnown: isKnown(guildId, linked, services) });
}

/** The form for a key; where no other one may be tried for now, it begins with that, before anybody has looked for the key. */
export function keyForm(
  guildId: string,
  services: Services,
  form = linkForm(services.bindings.linkedOf(guildId).length === 0),
): Form {
  const tries = typedTries(guildId, services);
  if (tries.left > 0) return form;
  const lock = keyLock(tries);
  return { ...form, intro: form.intro === undefined ? lock : md`${lock}\n\n${form.intro}` };
}

async function verifyHidden(
  key: ServerKey,
  by: { readonly actor: Actor; readonly roleIds: readonly string[] },
  services: Services,
): Promise<ReadKey> {
  const show = services.hideTyped(key.reveal());
  try {
    return { kind: "verified", ...(await verifyKey(key, by, services)) };
  } finally {
    show();
  }
}

async function verifyKey(
  key: ServerKey,
  { actor, roleIds }: { readonly actor: Actor; readonly roleIds: readonly string[] },
  services: Services,
): Promise<VerifiedKey> {
  const { guildId, userId } = actor;
  const source = services.sourceOf(key);
  const linked = await services.bindings.list(guildId);
  const known = linked.find((binding) => binding.source === source);
  if (known !== undefined && services.health.parked(source) === undefined) {
    throw new Failure("bad-command", `This key is linked here already, as "${known.name}".`);
  }
  services.pendingLinks.checkRoom(guildId, userId);
  const by = { guildId, isKnown: isKnown(guildId, linked, services) };
  const status = await services.keyVerifier.verifyKey(key, by);
  await services.bindings.checkRoom(guildId, status);
  const pendingId = services.pendingLinks.put({ key, status, guildId, userId, roleIds });
  return { status, pendingId, replaces: sameServer(status, linked) };
}

/** A community with a server, or one that has been here for a day, has a part of the tries to itself. */
function isKnown(guildId: string, linked: readonly unknown[], { guilds, clock }: Services): boolean {
  if (linked.length > 0) return true;
  const joinedAtMs = guilds.joinedAtMs(guildId);
  return joinedAtMs !== undefined && clock.nowMs() - joinedAtMs >= DAY_MS;
}

/** Links the server after the Yes. Rejects with Failure "expired" where the key has been forgotten by then. */
export async function linkPending(pendingId: string, actor: Actor, services: Services): Promise<JustLinked> {
  const linked = services.pendingLinks.once(pendingId, actor, (pending) => linkNow(pending, actor, services));
  if (linked === undefined) throw forgotten();
  return await linked;
}

async function linkNow(pending: PendingLink, actor: Actor, services: Services): Promise<JustLinked> {
  const { key, status, roleIds } = pending;
  // Without a status nobody has seen whose server it is.
  if (status === undefined) throw forgotten();
  const { guildId, userId } = actor;
  const linked = await services.bindings.link({
    guildId,
    key,
    status,
    byUserId: userId,
    moderatorRoleIds: roleIds,
  });
  const { binding, replaced } = linked;
  const hadCommands =
    replaced !== undefined && services.health.commandPermission(replaced).kind === "allowed";
  // Before the rest is written: where the store refuses that, the key is known all the same, and no second Yes comes.
  const { feedsBack } = await services.onLinked(linked);
  await recordEvent(services, actor, {
    action: "link",
    text: `${binding.name}${replaced === undefined ? "" : " (key replaced)"}`,
  });
  return { binding, roleIds, replaced: replaced !== undefined, hadCommands, feedsBack };
}

function forgotten(): Failure {
  return new Failure(
    "expired",
    "Marshal no longer has that key: five minutes have passed, you have already answered, or you pasted another one.",
  );
}

/** `/setup link`, its form submitted. */
export async function onKeySubmitted({ actor, form }: Press, services: Services): Promise<Reply> {
  // With @everyone as staff every member could run commands, so it is refused before the key is verified.
  const roleIds = form.chosen("staff");
  if (roleIds.includes(actor.guildId)) throw new Failure("bad-command", EVERYONE_IS_NO_STAFF);
  return whatItIs(await readPastedKey({ actor, pasted: form.text("key"), roleIds }, services), roleIds);
}

/** `setup-odd:PENDING`: it is a key all the same, they say. */
export async function onOddKey({ actor, argument }: Press, services: Services): Promise<Reply> {
  const read = await readOddKey(argument, actor, services);
  return whatItIs(read, read.roleIds);
}

function whatItIs(read: ReadKey, roleIds: readonly string[]): Reply {
  const no = `setup-no:${read.pendingId}`;
  if (read.kind === "odd") {
    const ids = { yes: `setup-odd:${read.pendingId}`, again: "setup-link", no };
    return isThisAKey({ tries: read.tries, ids });
  }
  return isThisYours({ ...read, roleIds, ids: { yes: `setup-yes:${read.pendingId}`, no } });
}

export const EVERYONE_IS_NO_STAFF =
  "Everyone can't be staff: every member could then run commands in the game. Choose a role.";

/** `/setup link`, its question answered by Yes. */
export async function confirmLink({ actor, argument }: Press, services: Services): Promise<Reply> {
  const linked = await linkPending(argument, actor, services);
  const mayRun = await services.permissions.isStaff(actor, linked.binding);
  return linkedCard({
    ...linked,
    mayRun,
    permission: services.health.commandPermission(linked.binding.source),
  });
}
