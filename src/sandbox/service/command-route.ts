import { type ErrorStyle, failure, json } from "./answers.ts";
import type { ServiceCounts } from "./counts.ts";
import type { Fate } from "./faults.ts";
import type { Town } from "./town/town.ts";
import { headerOf, type ServiceRequest, type ServiceResponse } from "./wire.ts";

/** What the command route works with. */
export interface CommandCall {
  readonly request: ServiceRequest;
  readonly key: string;
  readonly town: Town;
  readonly fate: Fate;
  readonly style: ErrorStyle;
  readonly counts: ServiceCounts;
  readonly commandId: string;
  readonly nowMs: number;
  /** Whether the owner lets this caller run commands. */
  readonly isPermitted: boolean;
  /** In which order the service looks for a reason to refuse. */
  readonly checks: readonly CommandCheck[];
}

/** What is checked before a command is looked at. Nobody outside the public service knows the order. */
export const COMMAND_CHECKS = ["permission", "body", "players"] as const;
export type CommandCheck = (typeof COMMAND_CHECKS)[number];

const OUTCOME_CODES = { unknown: 3001, incomplete: 3001, restricted: 4002, prohibited: 4003 } as const;

/** `POST /v2/server/command` for a caller who may (spec: Endpoints, POST /v2/server/command). */
export function answerCommand(call: CommandCall): ServiceResponse {
  const { town, fate, style, commandId } = call;
  const text = commandOf(call.request);
  const [refusal] = call.checks.flatMap((check) => refusalBy(check, call, text) ?? []);
  if (refusal !== undefined || text === undefined) return refusal ?? noCommand(style);
  if (fate.command500 === "unexecuted") return failure(1001, style, { commandId });
  const effect = town.runRemote(text);
  if (effect.outcome !== "done")
    return failure(OUTCOME_CODES[effect.outcome], style, messageOf(style, effect.message));
  call.counts.executed({ commandId, key: call.key, text, atMs: call.nowMs });
  if (fate.commandGivenUp) return json(fate.settings.commandGivenUpStatus, { message: "Given up." });
  if (fate.command500 === "executed") return failure(1001, style, { commandId });
  // The specification: "text explaining the status"; the public service mostly says no more than this.
  return json(200, { message: style.strictSpec ? effect.message : "Success" });
}

function refusalBy(check: CommandCheck, call: CommandCall, text: string | undefined) {
  const { style, commandId, town } = call;
  switch (check) {
    case "permission":
      return call.isPermitted ? undefined : notPermitted(style);
    case "body":
      return text === undefined ? noCommand(style) : undefined;
    case "players":
      return town.players.length === 0 ? failure(3002, style, { commandId }) : undefined;
  }
}

/** The specification describes no body of this 403 ("Unauthorized"), so there it says no more than its status. */
function notPermitted(style: ErrorStyle): ServiceResponse {
  return failure(4000, style, style.strictSpec ? { message: "Unauthorized" } : {});
}

function noCommand(style: ErrorStyle): ServiceResponse {
  return failure(3001, style, {
    message: "Bad request: the command is missing from the body (JSON, with Content-Type: application/json).",
  });
}

/** The specification has no codes, so there the words must explain; the facts have their fixed texts. */
function messageOf(style: ErrorStyle, message: string): { message: string } | Record<string, never> {
  return style.strictSpec ? { message } : {};
}

function commandOf(request: ServiceRequest): string | undefined {
  if (!/^application\/json\b/i.test(headerOf(request, "content-type") ?? "")) return undefined;
  try {
    const body: unknown = JSON.parse(request.body ?? "");
    if (typeof body !== "object" || body === null || !("command" in body)) return undefined;
    return typeof body.command === "string" && body.command.trim() !== "" ? body.command : undefined;
  } catch {
    return undefined;
  }
}
