import type { Failure } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import type { Button } from "../../domain/message.ts";
import { chooseRoles } from "../render/setup-cards.ts";

/**
 * The button that mends the failure, mostly for people who may link a server or choose its staff. `serverId` is the server that
 * a command named, for failures that tell none themselves.
 */
export function mendingButton(failure: Failure, actor: Actor, serverId = ""): Button | undefined {
  if (failure.wants === "account" && failure.bindingId !== undefined) {
    return { kind: "button", style: "primary", label: "Link my account", id: `me-code:${failure.bindingId}` };
  }
  if (!actor.manageGuild) return undefined;
  if (failure.wants === "tier") return chooseRoles(failure.bindingId ?? serverId);
  if (failure.wants === "server") {
    return { kind: "button", style: "primary", label: "Set it up", id: "guide-open" };
  }
  if (failure.code !== "key-rejected") return undefined;
  return { kind: "button", style: "primary", label: "Paste the current key", id: "setup-link" };
}
