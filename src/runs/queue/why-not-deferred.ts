import type { Actor } from "../../domain/guild.ts";
import type { RunRecord } from "../../domain/run.ts";
import { parseCommand } from "../catalogue/parse-command.ts";
import { findVerb } from "../catalogue/verbs.ts";

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
