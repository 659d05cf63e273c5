import type { Failure } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import type { Button } from "../../domain/message.ts";
import { chooseRoles } from "../render/setup-cards.ts";

/** The button that mends the failure, for people who may link a server or choose its staff. */
export function mendingButton(failure: Failure, actor: Actor, serverId = ""): Button | undefined {
  if (!actor.manageGuild) return undefined;
  if (failure.wants === "tier") return chooseRoles(serverId);
  if (failure.wants === "server") {
    return { kind: "button", style: "primary", label: "Set it up", id: "guide-open" };
  }
  if (failure.code !== "key-rejected") return undefined;
  return { kind: "button", style: "primary", label: "Paste the current key", id: "setup-link" };
}
