import type { Failure } from "../../domain/failure.ts";
import type { Actor } from "../../domain/guild.ts";
import type { Button } from "../../domain/message.ts";
import { chooseRoles } from "../render/setup-cards.ts";

/** The button that mends the failure, for people who may link a server or choose its staff. */
export function mendingButton(failure: Failure, actor: Actor, serverId = ""): Button | undefined {
  if (!actor.manageGuild) return undefined;
  if (failure.wants === "tier") return chooseRoles(serverId);
  if (failure.code !== "not-linked" && failure.code !== "key-rejected") return undefined;
  const label = failure.code === "not-linked" ? "Link a server" : "Link it again";
  return { kind: "button", style: "primary", label, id: "setup-link" };
}
