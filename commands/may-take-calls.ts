import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";

/** For lists of what others did. `command` is what they typed. @throws Failure "denied" unless they take calls there. */
export async function mustTakeCalls(
  { permissions }: Services,
  { actor, binding }: { readonly actor: Actor; readonly binding: Binding },
  command: string,
): Promise<void> {
  const decision = await permissions.decideCalls(actor, binding);
  if (decision.allowed) return;
  const { wants } = decision;
  const why = wants === undefined ? decision.why : `Only Moderators can use ${command}.`;
  throw new Failure("denied", why, { isRead: true, wants, bindingId: binding.id });
}
