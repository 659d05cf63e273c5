import type { AlertRule } from "../domain/alert.ts";
import { alertKind } from "../domain/alert-kinds.ts";
import type { Binding } from "../domain/guild.ts";
import type { ListName, SourceId } from "../domain/model.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Demands } from "../domain/ports/demands.ts";

/** A linked server with alerts. */
export interface WatchedServer {
  readonly binding: Binding;
  readonly rules: readonly AlertRule[];
}

export interface WatchedServersPorts {
  readonly bindings: Pick<Bindings, "list">;
  readonly demands: Demands;
  rulesOf(guildId: string): readonly AlertRule[];
  /** Whether this process serves the guild; another one watches for others. */
  isOurs(guildId: string): boolean;
}

/** Which linked servers have alerts, and the demand that keeps them polled. */
export class WatchedServers {
  readonly #ports: WatchedServersPorts;
  readonly #bySource = new Map<SourceId, readonly WatchedServer[]>();
  readonly #byGuild = new Map<string, readonly WatchedServer[]>();

  constructor(ports: WatchedServersPorts) {
    this.#ports = ports;
  }

  of(source: SourceId): readonly WatchedServer[] {
    return this.#bySource.get(source) ?? [];
  }

  ofBinding(guildId: string, bindingId: string): WatchedServer | undefined {
    return this.#byGuild.get(guildId)?.find(({ binding }) => binding.id === bindingId);
  }

  all(): readonly WatchedServer[] {
    return [...this.#byGuild.values()].flat();
  }

  /** A guild has linked or unlinked a server, replaced a key, or changed its alerts. */
  async refresh(guildId: string): Promise<void> {
    if (!this.#ports.isOurs(guildId)) return;
    const rules = this.#ports.rulesOf(guildId);
    this.#set(guildId, rules.length === 0 ? [] : await this.#ports.bindings.list(guildId), rules);
  }

  #set(guildId: string, bindings: readonly Binding[], rules: readonly AlertRule[]): void {
    const before = this.#byGuild.get(guildId) ?? [];
    const now = bindings.flatMap((binding): readonly WatchedServer[] => {
      const its = rules.filter(({ bindingId }) => bindingId === binding.id);
      return its.length === 0 ? [] : [{ binding, rules: its }];
    });
    if (now.length === 0) this.#byGuild.delete(guildId);
    else this.#byGuild.set(guildId, now);
    for (const source of new Set([...before, ...now].map(({ binding }) => binding.source))) {
      const others = this.of(source).filter(({ binding }) => binding.guildId !== guildId);
      const own = now.filter(({ binding }) => binding.source === source);
      if (others.length + own.length === 0) this.#bySource.delete(source);
      else this.#bySource.set(source, [...others, ...own]);
    }
    const demands = now.map((server) => ({
      source: server.binding.source,
      guildId,
      lists: listsOf(server.rules),
    }));
    this.#ports.demands.put(`alerts ${guildId}`, demands);
  }
}

function listsOf(rules: readonly AlertRule[]): readonly ListName[] {
  const lists = rules.flatMap(({ kind, withoutTeams }): readonly ListName[] => [
    ...alertKind(kind).lists,
    ...(withoutTeams === undefined ? [] : ["players" as const]),
  ]);
  return [...new Set(lists)];
}
