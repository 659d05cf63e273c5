import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { Documents } from "../domain/ports/documents.ts";
import { NO_RECORD, type Rule, type RuleEvent, type RuleRecord } from "../domain/rule.ts";
import type { GuildRules, OpenBreach, ServerRules } from "./rule-records.ts";

export interface RuleBookPorts {
  /** With `parseGuildRules`; durable. */
  readonly rules: Documents<GuildRules>;
  /** With `parseServerRules`; durable. */
  readonly states: Documents<ServerRules>;
}

export type RuledServer = Pick<Rule, "guildId" | "bindingId">;

const KEPT_EVENTS = 20;

/** The rules of guilds and what is open of them, in memory as they are stored. */
export class RuleBook {
  readonly #ports: RuleBookPorts;
  readonly #guilds = new Map<string, GuildRules>();
  readonly #servers = new Map<string, ServerRules>();
  readonly #mutex = new KeyedMutex();

  constructor(ports: RuleBookPorts) {
    this.#ports = ports;
  }

  /** Rejects when the store fails. */
  async load(): Promise<void> {
    for await (const [guildId, kept] of this.#ports.rules.entries()) this.#guilds.set(guildId, kept);
    for await (const [key, kept] of this.#ports.states.entries()) this.#servers.set(key, kept);
  }

  of(guildId: string): GuildRules {
    return this.#guilds.get(guildId) ?? { guildId, rules: [], lastNumber: 0 };
  }

  all(): readonly Rule[] {
    return [...this.#guilds.values()].flatMap(({ rules }) => rules);
  }

  /** Those of a server. */
  rulesOf({ guildId, bindingId }: RuledServer): readonly Rule[] {
    return this.of(guildId).rules.filter((rule) => rule.bindingId === bindingId);
  }

  rule(guildId: string, id: string): Rule | undefined {
    return this.of(guildId).rules.find((rule) => rule.id === id);
  }

  /** What `edit` answers is stored, and then so. Rejects when the store does. */
  change(guildId: string, edit: (kept: GuildRules) => GuildRules): Promise<GuildRules> {
    return this.#mutex.take(guildId, async () => {
      const before = this.of(guildId);
      const after = edit(before);
      if (after === before) return before;
      await this.#ports.rules.set(guildId, after);
      this.#guilds.set(guildId, after);
      return after;
    });
  }

  open({ guildId, bindingId }: RuledServer): readonly OpenBreach[] {
    return this.#servers.get(`${guildId}:${bindingId}`)?.open ?? [];
  }

  record(rule: Rule): RuleRecord {
    return this.#servers.get(`${rule.guildId}:${rule.bindingId}`)?.records[rule.id] ?? NO_RECORD;
  }

  /** Changes what is open of a server, and notes what happened. Rejects when the store does. */
  note(
    { guildId, bindingId }: RuledServer,
    edit: (open: readonly OpenBreach[]) => readonly OpenBreach[],
    happened: readonly { readonly ruleId: string; readonly event: RuleEvent }[] = [],
  ): Promise<void> {
    const key = `${guildId}:${bindingId}`;
    return this.#mutex.take(key, async () => {
      const before = this.#servers.get(key) ?? { guildId, bindingId, open: [], records: {} };
      const open = edit(before.open);
      if (open === before.open && happened.length === 0) return;
      const ids = new Set(this.rulesOf({ guildId, bindingId }).map(({ id }) => id));
      const records = new Map(Object.entries(before.records).filter(([id]) => ids.has(id)));
      for (const { ruleId, event } of happened) {
        if (ids.has(ruleId)) records.set(ruleId, withEvent(records.get(ruleId) ?? NO_RECORD, event));
      }
      const after = { guildId, bindingId, open, records: Object.fromEntries(records) };
      await this.#ports.states.set(key, after);
      this.#servers.set(key, after);
    });
  }

  /** The server is not linked any more, or has no rules. */
  forgetServer({ guildId, bindingId }: RuledServer): Promise<void> {
    const key = `${guildId}:${bindingId}`;
    return this.#mutex.take(key, async () => {
      await this.#ports.states.delete(key);
      this.#servers.delete(key);
    });
  }
}

function withEvent(record: RuleRecord, event: RuleEvent): RuleRecord {
  const events = [...record.events, event].slice(-KEPT_EVENTS);
  const unsure = event.isUnsure === true ? { unsure: (record.unsure ?? 0) + 1 } : {};
  return { ...record, ...unsure, [event.what]: record[event.what] + 1, events };
}
