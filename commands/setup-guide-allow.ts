import type { Press, Reply } from "../src/discord/command.ts";
import { forTheOwner } from "../src/discord/render/setup-guide-allow.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, md } from "../src/domain/escaped.ts";
import type { Binding } from "../src/domain/guild.ts";
import type { KnownPermission, PermissionCheck } from "../src/domain/ports/command-permission.ts";
import type { RunRecord } from "../src/domain/run.ts";
import { type GuidePosition, guideAfter, guideAt } from "./setup-guide.ts";
import { linked } from "./setup-guide-presses.ts";

/** The step of the guided set-up at which the server's owner lets Marshal run commands. */

/** Writes one line into the game's log and touches nobody. */
const HARMLESS = ":log Marshal check";

/** Longer than two checks are apart. A press waits for the next one; where that is later, the step says when. */
const LONGEST_WAIT_MS = 35_000;

/** `guide-check:BINDING`. Pressed right after a check, it makes the next one by itself as soon as that may be. */
export async function* checkPermission(
  { actor, argument, signal }: Press,
  services: Services,
): AsyncGenerator<Reply> {
  const binding = await linked(services, actor, argument);
  const { commandPermission, clock, settings } = services;
  const check = () => commandPermission.check(binding.source, binding.guildId);
  const mayRun = await services.permissions.isStaff(actor, binding);
  let againAtMs: number | undefined;

  yield await guideAfter(services, actor, async () => {
    const found = await check();
    const isSoon = found.kind === "too-soon" && found.atMs - clock.nowMs() <= LONGEST_WAIT_MS;
    if (isSoon) againAtMs = found.atMs;
    return positionAfter(services, binding, { found, isChecking: isSoon, mayRun });
  });
  // Whoever went on meanwhile is not called back.
  const isLeft = (await settings.of(actor.guildId)).guide?.step !== "allow";
  if (againAtMs === undefined || isLeft) return;

  const waitMs = Math.max(0, againAtMs - clock.nowMs());
  yield await guideAfter(services, actor, async () => {
    await clock.sleep(waitMs, signal);
    return positionAfter(services, binding, { found: await check(), isChecking: false, mayRun });
  });
}

interface Checked {
  readonly found: PermissionCheck;
  readonly isChecking: boolean;
  /** Whoever pressed may run the command that shows it. */
  readonly mayRun: boolean;
}

function positionAfter(
  { snapshots, health, clock }: Services,
  { id, source }: Binding,
  { found, isChecking, mayRun }: Checked,
): GuidePosition {
  const isEmpty = snapshots.latest(source)?.status.currentPlayers === 0;
  // While nobody plays, a command would show as little as the check did.
  const { kind } = found;
  const isUnclear = kind === "unclear";
  const note =
    isUnclear && isEmpty
      ? NOBODY_PLAYS
      : isUnclear && !mayRun
        ? NO_ROLE
        : (noteOf(found, isChecking) ?? tooOften(found, health.commandPermission(source), clock.nowMs()));
  const isAsked = isUnclear && !isEmpty && mayRun;
  return {
    step: "allow",
    bindingId: id,
    isAsked,
    isChecking,
    isChecked: true,
    ...(note === undefined ? {} : { note }),
  };
}

const NOBODY_PLAYS = md`Can't tell while nobody is playing. Press **Check again** when somebody plays, or go on: the first command will show it.`;
const NO_ROLE = md`❔ Marshal can't tell before a command is run, and none of your roles can run one yet. Let one of your staff run any command, or press **Back** and choose a role of yours at Roles.`;
const NOT_ALLOWED = md`⛔ Not allowed yet. Nothing ran.`;

/** Undefined: the step itself says it. */
function noteOf(found: PermissionCheck, isChecking: boolean): Escaped | undefined {
  switch (found.kind) {
    case "refused":
      return md`${NOT_ALLOWED}${checksLeft(found.left)}`;
    case "allowed":
      return md`✅ The owner has allowed it.`;
    case "empty":
      return NOBODY_PLAYS;
    case "unclear":
      return undefined;
    case "too-soon": {
      const atS = Math.ceil(found.atMs / 1_000);
      return isChecking ? md`⏳ Checked a moment ago. Checking again <t:${atS}:R>.` : undefined;
    }
  }
}

/** Said before they are used up, since without one an owner who allows it then waits for the rest of the hour. */
const FEW_CHECKS = 2;

function checksLeft(left: number): Escaped {
  if (left > FEW_CHECKS) return md``;
  const few = left === 1 ? md`1 check` : md`${left === 0 ? "No" : left} checks`;
  return md` ${few} left this hour.`;
}

/** A command that runs is a proof too, as soon as commands are no longer refused from memory. */
function tooOften(found: PermissionCheck, known: KnownPermission, nowMs: number): Escaped | undefined {
  if (found.kind !== "too-soon") return undefined;
  const atS = Math.ceil(found.atMs / 1_000);
  const often = md`⏳ Checked too often to check again before <t:${atS}:t>.`;
  const commandsAtMs = known.kind === "refused" ? known.untilMs : nowMs;
  if (commandsAtMs >= found.atMs) return often;
  const from = commandsAtMs <= nowMs ? md`` : md` after <t:${Math.ceil(commandsAtMs / 1_000)}:t>`;
  return md`${often} If the owner has allowed it, run any command${from}: that shows it too.`;
}

/** `guide-prove:BINDING` runs a command that touches nobody: by the rights of who presses, and audited as every run is. */
export async function proveByCommand({ actor, argument }: Press, services: Services): Promise<Reply> {
  const binding = await linked(services, actor, argument);
  const plan = await services.runner.plan({ actor, binding, text: HARMLESS, origin: "button" });
  const at = { step: "allow", bindingId: binding.id, isChecked: true } as const;
  if (!plan.decision.allowed) {
    return await guideAt(services, actor, { ...at, note: NO_ROLE });
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
