import type { Press, Reply } from "../src/discord/command.ts";
import { forTheOwner } from "../src/discord/render/setup-guide-allow.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, md } from "../src/domain/escaped.ts";
import type { PermissionCheck } from "../src/domain/ports/command-permission.ts";
import type { RunRecord } from "../src/domain/run.ts";
import { guideAfter, guideAt } from "./setup-guide.ts";
import { linked } from "./setup-guide-presses.ts";

/** The step of the guided set-up at which the server's owner lets Marshal run commands. */

/** Writes one line into the game's log and touches nobody. */
const HARMLESS = ":log Marshal check";

/** `guide-check:BINDING` */
export async function checkPermission({ actor, argument }: Press, services: Services): Promise<Reply> {
  const { id, guildId, source } = await linked(services, actor, argument);
  return await guideAfter(services, actor, async () => {
    const found = await services.commandPermission.check(source, guildId);
    const isEmpty = services.snapshots.latest(source)?.status.currentPlayers === 0;
    // While nobody plays, a command would show as little as the check did.
    const { kind } = found;
    const note = kind === "unclear" && isEmpty ? NOBODY_PLAYS : noteOf(found);
    const isAsked = kind === "unclear" && !isEmpty;
    return { step: "allow", bindingId: id, isAsked, ...(note === undefined ? {} : { note }) };
  });
}

const NOBODY_PLAYS = md`Can't tell while nobody is playing. Go on: the first command will show it.`;
const NOT_ALLOWED = md`⛔ Not allowed yet. Nothing ran.`;

/** Undefined: the step itself says it. */
function noteOf(found: PermissionCheck): Escaped | undefined {
  switch (found.kind) {
    case "refused":
      return NOT_ALLOWED;
    case "allowed":
      return md`✅ The owner has allowed it.`;
    case "empty":
      return NOBODY_PLAYS;
    case "unclear":
      return undefined;
    case "too-soon":
      return md`⏳ Checked a moment ago. Try again after <t:${Math.ceil(found.atMs / 1_000)}:T>.`;
  }
}

/** `guide-prove:BINDING` runs a command that touches nobody: by the rights of who presses, and audited as every run is. */
export async function proveByCommand({ actor, argument }: Press, services: Services): Promise<Reply> {
  const binding = await linked(services, actor, argument);
  const plan = await services.runner.plan({ actor, binding, text: HARMLESS, origin: "button" });
  const at = { step: "allow", bindingId: binding.id } as const;
  if (!plan.decision.allowed) {
    const note = md`⚠ None of your roles can run commands yet. Press **Back** and choose one at Roles.`;
    return await guideAt(services, actor, { ...at, note });
  }
  return await guideAfter(services, actor, async () => {
    const { record } = await (await services.runner.submit(plan)).outcome;
    return { ...at, note: outcomeNote(record) };
  });
}

function outcomeNote({ status, failureCode }: RunRecord): Escaped {
  if (status === "done") return md`✅ \`:log Marshal check\` ran.`;
  if (failureCode === "server-empty") return NOBODY_PLAYS;
  if (failureCode === "not-authorised") return NOT_ALLOWED;
  if (status === "unknown")
    return md`❔ It may have run: the answer got lost. \`/run history\` shows it once it is known.`;
  return md`⚠ It did not run. \`/run history\` says why.`;
}

/** `guide-copy:BINDING` */
export async function copyForOwner({ actor, argument }: Press, services: Services): Promise<Reply> {
  const { name, source } = await linked(services, actor, argument);
  return forTheOwner(name, await services.commandPermission.ownerPage(source));
}
