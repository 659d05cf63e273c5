import type { Actor } from "../../domain/guild.ts";
import type { AuditLog } from "../../domain/ports/audit-log.ts";
import type { RunRecord } from "../../domain/run.ts";
import { everyRow } from "../audit/every-row.ts";
import { parseCommand } from "../catalogue/parse-command.ts";
import { findVerb } from "../catalogue/verbs.ts";
import { MAY_HAVE_RUN } from "./sent-once.ts";

/** Why this run cannot wait until someone joins; undefined: it can. */
export function whyNotDeferred(record: RunRecord, actor: Actor): string | undefined {
  if (record.actorId !== actor.userId) return "Only the person who asked can do this.";
  if (record.failureCode !== "server-empty") return "Only a command sent to an empty server can wait.";
  const command = parseCommand(record.text);
  const verb = findVerb(command.verb ?? "");
  const dangerous =
    verb === undefined || verb.danger === "serious" || verb.danger === "severe" || command.mass;
  return dangerous ? `:${command.verb} is too serious to run unattended. Run it yourself later.` : undefined;
}

/** Whether it was sent since when somebody joined, or may have been, or is on its way. */
export async function wasDeferred(
  audit: Pick<AuditLog, "search">,
  { guildId, bindingId, actorId, text, askedAtMs: fromMs }: RunRecord,
): Promise<boolean> {
  for await (const row of everyRow(audit, guildId, { bindingId, actorId, text, fromMs }))
    if (row.origin === "on-join" && row.text === text && MAY_HAVE_RUN.has(row.status)) return true;
  return false;
}
