import type { Failure } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import type { Button } from "../../domain/message.ts";
import { chooseRoles, PASTE_NEW_KEY } from "../render/setup-cards.ts";
import { letCommandsRun } from "../render/setup-guide-allow.ts";

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
  if (failure.code === "not-authorised" && !failure.isRead) {
    return letCommandsRun(failure.bindingId ?? serverId);
  }
  if (failure.code !== "key-rejected") return undefined;
  if (failure.wants !== "key") return PASTE_NEW_KEY;
  // Without a try left there is nothing to press.
  if (failure.retryAtMs !== undefined) return undefined;
  return { kind: "button", style: "primary", label: "Try again", id: "setup-link" };
}
