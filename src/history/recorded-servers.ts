import type { Binding } from "../domain/guild.ts";
import type { ListName, SourceId } from "../domain/model.ts";
import type { Bindings } from "../domain/ports/bindings.ts";
import type { Demands } from "../domain/ports/demands.ts";
import type { Link } from "./ingest/recorded-answer.ts";

export interface RecordedServersParts {
  readonly bindings: Pick<Bindings, "all" | "list">;
  readonly demands: Demands;
  /** Whether this process serves a guild: the servers of others are another process's. */
  isOurs(guildId: string): boolean;
  /** Guilds that record where people are; kept here, read by all. */
  readonly tracked: Set<string>;
  /** The links of a server have changed. */
  onChanged(source: SourceId): void;
}

/** What is read of a server for its history. No age is named: the schedule sets the pace. */
const LISTS: readonly ListName[] = [
  "players",
  "joinLogs",
  "killLogs",
  "commandLogs",
  "modCalls",
  "emergencyCalls",
];

/** Which guilds of this process record which servers, and the demand that keeps these polled. */
export class RecordedServers {
  readonly #parts: RecordedServersParts;
  readonly #byGuild = new Map<string, readonly Binding[]>();
  readonly #bySource = new Map<SourceId, readonly Link[]>();
  #off: ReadonlySet<string> = new Set();

  constructor(parts: RecordedServersParts) {
    this.#parts = parts;
  }

  async load(): Promise<void> {
    const guilds = new Map<string, Binding[]>();
    for await (const binding of this.#parts.bindings.all()) {
      if (!this.#parts.isOurs(binding.guildId)) continue;
      const its = guilds.get(binding.guildId) ?? [];
      its.push(binding);
      guilds.set(binding.guildId, its);
    }
    for (const [guildId, bindings] of guilds) this.#set(guildId, bindings);
  }

  /** A guild has linked or unlinked a server, or replaced a key. */
  async refresh(guildId: string): Promise<void> {
    if (this.#parts.isOurs(guildId)) this.#set(guildId, await this.#parts.bindings.list(guildId));
  }

  /** The guilds that want nothing recorded. */
  setOff(guildIds: Iterable<string>): void {
    const before = this.#off;
    this.#off = new Set(guildIds);
    for (const guildId of new Set([...before, ...this.#off])) {
      if (before.has(guildId) !== this.#off.has(guildId))
        this.#set(guildId, this.#byGuild.get(guildId) ?? []);
    }
  }

  turnOff(guildId: string, isOff: boolean): void {
    this.setOff(isOff ? [...this.#off, guildId] : [...this.#off].filter((other) => other !== guildId));
  }

  /** A guild wants it recorded where people are, or no more. */
  track(guildId: string, isOn: boolean): void {
    if (isOn) this.#parts.tracked.add(guildId);
    else this.#parts.tracked.delete(guildId);
  }

  tracks(guildId: string): boolean {
    return this.#parts.tracked.has(guildId);
  }

  get servers(): number {
    return this.#bySource.size;
  }

  of(source: SourceId): readonly Link[] {
    return this.#bySource.get(source) ?? [];
  }

  /** All links, of guilds that record nothing as well. */
  all(guildId?: string): readonly { readonly guildId: string; readonly bindingId: string }[] {
    const bindings =
      guildId === undefined ? [...this.#byGuild.values()].flat() : (this.#byGuild.get(guildId) ?? []);
    return bindings.map((binding) => ({ guildId: binding.guildId, bindingId: binding.id }));
  }

  #set(guildId: string, bindings: readonly Binding[]): void {
    const before = this.#byGuild.get(guildId) ?? [];
    if (bindings.length === 0) this.#byGuild.delete(guildId);
    else this.#byGuild.set(guildId, bindings);
    for (const source of new Set([...before, ...bindings].map((binding) => binding.source))) {
      const others = this.of(source).filter((link) => link.guildId !== guildId);
      const own = this.#off.has(guildId) ? [] : bindings.filter((binding) => binding.source === source);
      const links = [...others, ...own.map(linkOf)];
      if (links.length === 0) this.#bySource.delete(source);
      else this.#bySource.set(source, links);
      this.#parts.onChanged(source);
    }
    const demanded = this.#off.has(guildId) ? [] : bindings;
    this.#parts.demands.put(
      `history ${guildId}`,
      demanded.map(({ source }) => ({ source, guildId, lists: LISTS })),
    );
  }
}

function linkOf({ guildId, id, linkedAtMs }: Binding): Link {
  return { guildId, bindingId: id, linkedAtS: Math.floor(linkedAtMs / 1_000) };
}
