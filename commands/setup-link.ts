import type { Form, Press, Reply } from "../src/discord/command.ts";
import { plainText } from "../src/discord/render/escape.ts";
import { isThisYours, linkedCard } from "../src/discord/render/setup-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import { type Actor, type Binding, EMPTY_POLICY, type GuildSettings } from "../src/domain/guild.ts";
import type { ServerStatus } from "../src/domain/model.ts";
import { ServerKey } from "../src/domain/server-key.ts";
import { recordEvent } from "./audit-event.ts";

/** From a pasted key to a linked server: nothing is saved before the person has seen whose server it is. */

const LONGEST_KEY = 200;

export const KEY_INTRO = md`The server's owner finds the key in the game: private server settings, API. It is sealed; only its last four characters are ever shown. Nothing is saved before you have seen whose server it is.`;

export const KEY_FIELD: Form["fields"][number] = {
  kind: "text",
  id: "key",
  label: "Server key",
  placeholder: "Paste it here",
  maxLength: 400,
};

export const KEY_FORM: Form = {
  id: "setup-key",
  title: "Link your game server",
  intro: KEY_INTRO,
  fields: [
    KEY_FIELD,
    {
      kind: "role",
      id: "staff",
      label: "Staff role",
      description: "May run in-game commands as moderators; more with /staff later",
      maxValues: 5,
    },
  ],
};

/**
 * Removes what pasting adds to a key: spaces, line breaks, quotes, invisible characters. Keys have no known shape, so
 * only characters that cannot stand in a header are refused.
 */
export function cleanKey(pasted: string): string {
  const bare = plainText(pasted)
    .replace(/\s+/g, "")
    .replace(/^["'`“”‘’«»<]+|["'`“”‘’«»>]+$/g, "")
    .replace(/^(server[-_]?)?key[:=]["'`]?/i, "");
  if (bare === "") throw new Failure("bad-command", "No key was given.");
  if (bare.length > LONGEST_KEY) throw new Failure("bad-command", "This is too long to be a server key.");
  if (/^https?:/i.test(bare)) throw new Failure("bad-command", "This is a link, not a server key.");
  if (!/^[\x21-\x7e]+$/.test(bare)) {
    throw new Failure(
      "bad-command",
      "This holds characters that a server key never has. Copy the key alone.",
    );
  }
  return bare;
}

/** The linked server whose owner made this new key. */
function sameServer(status: ServerStatus, bindings: readonly Binding[]): Binding | undefined {
  return bindings.find(({ ownerId, joinKey }) => ownerId === status.ownerId && joinKey === status.joinKey);
}

interface VerifiedKey {
  readonly status: ServerStatus;
  readonly pendingId: string;
  readonly replaces: Binding | undefined;
}

/** Asks the service whose key it is, and keeps the key in memory until the person says Yes. Rejects with a Failure. */
export async function verifyPastedKey(
  {
    actor,
    pasted,
    roleIds,
  }: { readonly actor: Actor; readonly pasted: string; readonly roleIds: readonly string[] },
  services: Services,
): Promise<VerifiedKey> {
  const { guildId, userId } = actor;
  if (pasted.trim() !== "") services.hideSecret(pasted.trim());
  const text = cleanKey(pasted.trim());
  services.hideSecret(text);
  const key = new ServerKey(text);
  const source = services.sourceOf(key);
  const linked = await services.bindings.list(guildId);
  const known = linked.find((binding) => binding.source === source);
  if (known !== undefined && services.health.parked(source) === undefined) {
    throw new Failure("bad-command", `This key is linked here already, as "${known.name}".`);
  }
  services.pendingLinks.checkRoom(guildId, userId);
  const status = await services.keyVerifier.verifyKey(key, guildId);
  await services.bindings.checkRoom(guildId, status);
  const pendingId = services.pendingLinks.put({ key, status, guildId, userId, roleIds });
  return { status, pendingId, replaces: sameServer(status, linked) };
}

interface JustLinked {
  readonly binding: Binding;
  readonly roleIds: readonly string[];
  readonly replaced: boolean;
  readonly feedsBack: number;
}

/** Links the server after the Yes. Rejects with Failure "expired" where the key has been forgotten by then. */
export async function linkPending(pendingId: string, actor: Actor, services: Services): Promise<JustLinked> {
  const pending = services.pendingLinks.take(pendingId, actor);
  if (pending === undefined) {
    throw new Failure(
      "expired",
      "The key was forgotten: five minutes have passed, it was answered already, or you typed another since.",
    );
  }
  const { key, status, roleIds } = pending;
  const { guildId, userId } = actor;
  const { binding, replaced } = await services.bindings.link({ guildId, key, status, byUserId: userId });
  await services.settings.change(guildId, (settings) => withModerators(settings, binding.id, roleIds));
  await recordEvent(services, actor, {
    action: "link",
    text: `${binding.name}${replaced === undefined ? "" : " (key replaced)"}`,
  });
  if (replaced !== undefined && replaced !== binding.source)
    await services.onReplaced(replaced, binding.source);
  const { feedsBack } = await services.onLinked(binding);
  return { binding, roleIds, replaced: replaced !== undefined, feedsBack };
}

/** `/setup link`, its form submitted. */
export async function onKeySubmitted({ actor, form }: Press, services: Services): Promise<Reply> {
  // With @everyone as staff every member could run commands, so it is refused before the key is verified.
  const roleIds = form.chosen("staff");
  if (roleIds.includes(actor.guildId)) throw new Failure("bad-command", EVERYONE_IS_NO_STAFF);
  const { status, pendingId, replaces } = await verifyPastedKey(
    { actor, pasted: form.text("key"), roleIds },
    services,
  );
  const ids = { yes: `setup-yes:${pendingId}`, no: `setup-no:${pendingId}` };
  return isThisYours({ status, roleIds, replaces, ids });
}

export const EVERYONE_IS_NO_STAFF =
  "Everyone cannot be staff: each member could then run commands in the game. Choose a role.";

/** `/setup link`, its question answered by Yes. */
export async function confirmLink({ actor, argument }: Press, services: Services): Promise<Reply> {
  const linked = await linkPending(argument, actor, services);
  const mayRun = await services.permissions.isStaff(actor, linked.binding);
  return linkedCard({ ...linked, mayRun });
}

/** A role that holds a higher tier keeps it: linking again must not lower anybody. */
function withModerators(
  settings: GuildSettings,
  bindingId: string,
  roleIds: readonly string[],
): GuildSettings {
  const policy = settings.policies[bindingId] ?? EMPTY_POLICY;
  const raised = roleIds.filter((id) => (policy.roleTiers[id] ?? "viewer") === "viewer");
  const moderators = Object.fromEntries(raised.map((id) => [id, "moderator" as const]));
  const roleTiers = { ...policy.roleTiers, ...moderators };
  return { ...settings, policies: { ...settings.policies, [bindingId]: { ...policy, roleTiers } } };
}
