import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";

/** For lists of what others did. `what` begins the refusal. @throws Failure "denied" unless they take calls there. */
export async function mustTakeCalls(
  { permissions }: Services,
  { actor, binding }: { readonly actor: Actor; readonly binding: Binding },
  what: string,
): Promise<void> {
  const decision = await permissions.decideCalls(actor, binding);
  if (decision.allowed) return;
  const { wants } = decision;
  const why =
    wants === undefined ? decision.why : `${what} are for the tier Moderator, or a role that may take calls.`;
  throw new Failure("denied", why, { isRead: true, wants, bindingId: binding.id });
}
