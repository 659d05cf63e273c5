import type { DutyRoster } from "../../domain/duty-roster.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { ListName, ServerState, SourceId } from "../../domain/model.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Demands } from "../../domain/ports/demands.ts";
import type { ModCalls } from "../../domain/ports/mod-calls.ts";
import type { PanelRenderer, StaleCause } from "../../domain/ports/panels.ts";
import { haltAt, type ServiceHealth } from "../../domain/ports/service-health.ts";
import type { Failing, Snapshots } from "../../domain/ports/snapshots.ts";
import { underItsName } from "../../domain/server-names.ts";
import { demandOwner, type PanelRecord } from "./panel-records.ts";

/** Without a poll that failed: an empty server is read every ten minutes at the latest. */
const SILENT_AFTER_MS = 900_000;
/** Where every poll since then has failed: one that fails alone is not worth an edit. */
const FAILING_AFTER_MS = 60_000;
/** Where the service halts everything: short halts are not worth an edit of every panel. */
const HALTED_AFTER_MS = 180_000;
/** Where nothing but the time that it shows has changed. */
const TIME_EVERY_MS = 300_000;
/** The wall clock is set by less than this all the time, and answers of one server are further apart. */
const DRIFT_MS = 1_000;
const LISTS: readonly ListName[] = ["players", "staff", "queue", "modCalls", "emergencyCalls"];

export interface PanelBodyPorts {
  readonly bindings: Pick<Bindings, "list">;
  readonly snapshots: Pick<Snapshots, "latest" | "failing">;
  readonly modCalls: Pick<ModCalls, "withoutResolved">;
  readonly roster: Pick<DutyRoster, "here">;
  readonly demands: Demands;
  readonly health: Pick<ServiceHealth, "halt" | "parked" | "held" | "readRefused">;
  readonly renderer: Pick<PanelRenderer, "current" | "stale">;
  readonly clock: Clock;
}

/** What a panel knows of its server; the time is of the monotonic clock. */
export interface PanelServer {
  record: PanelRecord;
  source: SourceId | undefined;
  /** When a newer state was met last. */
  goodSinceMs: number;
  /** When that state was asked for; absent: none was met yet. */
  metMs?: number;
  /** Its message stands, and says nothing else before this time. */
  notBeforeMs: number;
}

/**
 * What a panel should say; undefined where nothing was ever known, or it is too soon to say it. Notes in `panel` which state
 * it has met, and demands the lists that a panel shows.
 */
export async function panelBody(ports: PanelBodyPorts, panel: PanelServer): Promise<MessageBody | undefined> {
  const { bindings, snapshots, modCalls, renderer, clock } = ports;
  const { guildId, bindingId } = panel.record;
  const binding = (await bindings.list(guildId)).find(({ id }) => id === bindingId);
  if (binding === undefined) return undefined;
  const { source } = binding;
  if (source !== panel.source) {
    panel.source = source;
    ports.demands.put(demandOwner(panel.record), [{ source, lists: LISTS, guildId }]);
  }

  const state = snapshots.latest(source);
  if (state !== undefined) meet(panel, state, clock);
  if (clock.monotonicMs() < panel.notBeforeMs) return undefined;
  const known = state && modCalls.withoutResolved(bindingId, underItsName(state, binding));
  const cause = staleCause(ports, source, snapshots.failing(source));
  const isStale = clock.monotonicMs() - panel.goodSinceMs >= staleAfterMs(cause);
  const body = known === undefined ? panel.record.body : currentBody(ports, panel, known);
  return body !== undefined && isStale ? renderer.stale(body, cause) : body;
}

/** A step of the wall clock moves the time of a state with it: that alone makes it no newer. */
function meet(panel: PanelServer, { statusAtMs }: ServerState, clock: Clock): void {
  panel.record = { ...panel.record, goodAtMs: statusAtMs };
  const askedMs = statusAtMs - clock.nowMs() + clock.monotonicMs();
  if (panel.metMs !== undefined && askedMs - panel.metMs < DRIFT_MS) return;
  panel.metMs = askedMs;
  panel.goodSinceMs = clock.monotonicMs();
}

/** With the time that its message shows already, where nothing else has changed and that is not long ago. */
function currentBody(
  { renderer, roster }: Pick<PanelBodyPorts, "renderer" | "roster">,
  panel: PanelServer,
  state: ServerState,
): MessageBody {
  const { guildId, bindingId, mark, goodAtMs, seenAtMs, body } = panel.record;
  const onDuty = roster.here(guildId, bindingId, state.lists.players?.value);
  if (seenAtMs !== undefined && Math.abs(goodAtMs - seenAtMs) < TIME_EVERY_MS) {
    const same = renderer.current(state, { bindingId, mark, seenAtMs, onDuty });
    if (JSON.stringify(same) === JSON.stringify(body)) return same;
  }
  panel.record = { ...panel.record, seenAtMs: goodAtMs };
  return renderer.current(state, { bindingId, mark, seenAtMs: goodAtMs, onDuty });
}

/** How old what it shows must be before it says why. What somebody has to mend is no passing matter. */
function staleAfterMs(cause: StaleCause): number {
  switch (cause.kind) {
    case "key":
    case "refused":
      return 0;
    case "failing":
      return cause.code === "module-outdated" ? 0 : FAILING_AFTER_MS;
    case "silent":
      return SILENT_AFTER_MS;
    case "waits":
    case "held":
    case "blocked":
      return HALTED_AFTER_MS;
    default:
      return cause satisfies never;
  }
}

function staleCause(
  { health, clock }: Pick<PanelBodyPorts, "health" | "clock">,
  source: SourceId,
  failing: Failing | undefined,
): StaleCause {
  if (health.parked(source) !== undefined) return { kind: "key" };
  if (health.readRefused(source) !== undefined) return { kind: "refused" };
  const halt = haltAt(health, clock.nowMs());
  if (halt !== undefined)
    return { kind: halt.why === "blocked" ? "blocked" : "waits", untilMs: halt.untilMs };
  const held = health.held(source);
  if (held !== undefined) return { kind: "held", untilMs: held.untilMs };
  return failing === undefined ? { kind: "silent" } : { kind: "failing", code: failing.code };
}
