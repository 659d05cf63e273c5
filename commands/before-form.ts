import type { Press } from "../src/discord/command.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import type { ModCallCard } from "../src/domain/ports/mod-calls.ts";
import type { KnownRights } from "../src/domain/ports/permissions.ts";
import type { Decision } from "../src/domain/run.ts";
import { auditEventOf } from "./audit-event.ts";

/**
 * A form has to be the first answer to its button, so nothing can be read before it. What is in memory tells nearly
 * always whether somebody may submit it: then they read it before they have written anything. Where it tells nothing the
 * form opens; what is submitted is decided in any case.
 */

interface Wanted {
  /** The servers that may be meant. Nobody is refused who may do it on one of them. */
  readonly bindingIds: readonly string[];
  readonly decide: (rights: KnownRights) => Decision;
  /** For the audit: what was refused. */
  readonly what: string;
}

/** @throws Failure "not-linked" where no server can be meant, "denied" where memory says that the form would be refused; the audit shows who tried. */
export function refuseBeforeForm(
  services: Services,
  { actor }: Pick<Press, "actor">,
  { bindingIds, decide, what }: Wanted,
): void {
  if (bindingIds.length === 0) {
    throw new Failure("not-linked", "No game server is linked here yet.", { wants: "server", isRead: true });
  }
  let refused:
    | { readonly decision: Extract<Decision, { allowed: false }>; readonly bindingId: string }
    | undefined;
  for (const bindingId of bindingIds) {
    const rights = services.permissions.known(actor, bindingId);
    const decision = rights === undefined ? undefined : decide(rights);
    if (decision === undefined || decision.allowed) return;
    refused ??= { decision, bindingId };
  }
  if (refused === undefined) return;

  notePress(services, actor, what);
  const { why, wants } = refused.decision;
  throw new Failure("denied", why, { wants, bindingId: refused.bindingId, isRead: true });
}

/** Writes into the audit that somebody was refused a press. A store that fails must not keep the refusal from being read. */
export function notePress(services: Services, actor: Actor, what: string): void {
  const event = auditEventOf(services, actor, { action: "press-refused", text: what });
  services.refusals.noteEvent(event).catch(() => undefined);
}

/** Every linked server of the guild, by what is in memory. */
function linkedIds({ bindings }: Services, { actor }: Pick<Press, "actor">): readonly string[] {
  return bindings.linkedOf(actor.guildId).map(({ id }) => id);
}

/**
 * The same for a button of a moderator call's card, on the server of the call. Returns the call where it is at hand;
 * `decide` and `what` are given its caller then.
 */
export function refuseOnCall(
  services: Services,
  press: Pick<Press, "actor" | "argument">,
  {
    decide,
    what,
  }: {
    readonly decide: (rights: KnownRights, caller: string | undefined) => Decision;
    readonly what: (caller: string | undefined) => string;
  },
): ModCallCard | undefined {
  const call = services.modCalls.atHand(press.actor.guildId, press.argument);
  const caller = call?.callerName;
  refuseBeforeForm(services, press, {
    bindingIds: call === undefined ? linkedIds(services, press) : [call.bindingId],
    decide: (rights) => decide(rights, caller),
    what: what(caller),
  });
  return call;
}

/** For what is kept of players: refused to those who are Moderator of no server. */
export function refuseUnlessModerator(services: Services, press: Pick<Press, "actor">, what: string): void {
  refuseBeforeForm(services, press, {
    bindingIds: linkedIds(services, press),
    decide: (rights) => rights.moderator(),
    what,
  });
}
