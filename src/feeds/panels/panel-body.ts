import type { MessageBody } from "../../domain/message.ts";
import type { ListName, SourceId } from "../../domain/model.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Demands } from "../../domain/ports/demands.ts";
import type { ModCalls } from "../../domain/ports/mod-calls.ts";
import type { PanelRenderer } from "../../domain/ports/panels.ts";
import type { ServiceHealth } from "../../domain/ports/service-health.ts";
import type { Snapshots } from "../../domain/ports/snapshots.ts";
import { underItsName } from "../../domain/server-names.ts";
import { demandOwner, type PanelRecord } from "./panel-records.ts";
import { HALTED_SILENT_AFTER_MS, SILENT_AFTER_MS } from "./panel-step.ts";

const LISTS: readonly ListName[] = ["players", "staff", "queue", "modCalls", "emergencyCalls"];

export interface PanelBodyPorts {
  readonly bindings: Pick<Bindings, "list">;
  readonly snapshots: Pick<Snapshots, "latest">;
  readonly modCalls: Pick<ModCalls, "withoutResolved">;
  readonly demands: Demands;
  readonly health: Pick<ServiceHealth, "halt" | "parked">;
  readonly renderer: Pick<PanelRenderer, "current" | "silent">;
  readonly clock: Clock;
}

/** What a panel knows of its server; the time is of the monotonic clock. */
export interface PanelServer {
  record: PanelRecord;
  source: SourceId | undefined;
  /** When a newer state was met last. */
  goodSinceMs: number;
}

/**
 * What a panel should say; undefined where nothing was ever known. Notes in `panel` which state it has met, and demands
 * the lists that a panel shows.
 */
export async function panelBody(ports: PanelBodyPorts, panel: PanelServer): Promise<MessageBody | undefined> {
  const { bindings, snapshots, modCalls, health, renderer, clock } = ports;
  const { guildId, bindingId, mark } = panel.record;
  const binding = (await bindings.list(guildId)).find(({ id }) => id === bindingId);
  if (binding === undefined) return undefined;
  const { source } = binding;
  if (source !== panel.source) {
    panel.source = source;
    ports.demands.put(demandOwner(panel.record), [{ source, lists: LISTS, guildId }]);
  }

  const state = snapshots.latest(source);
  if (state !== undefined && state.statusAtMs !== panel.record.goodAtMs) {
    panel.record = { ...panel.record, goodAtMs: state.statusAtMs };
    panel.goodSinceMs = clock.monotonicMs();
  }
  const body =
    state === undefined
      ? panel.record.body
      : renderer.current(modCalls.withoutResolved(bindingId, underItsName(state, binding)), {
          bindingId,
          mark,
        });
  const isHeld = health.halt() !== undefined || health.parked(source) !== undefined;
  const silentAfterMs = isHeld ? HALTED_SILENT_AFTER_MS : SILENT_AFTER_MS;
  const isSilent = clock.monotonicMs() - panel.goodSinceMs >= silentAfterMs;
  return body !== undefined && isSilent ? renderer.silent(body, panel.record.goodAtMs) : body;
}
