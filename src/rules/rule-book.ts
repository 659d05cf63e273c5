import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { AuditLog } from "../domain/ports/audit-log.ts";
import type { Documents } from "../domain/ports/documents.ts";
import { NO_RECORD, type Rule, type RuleEvent, type RuleRecord, type StepUnderWay } from "../domain/rule.ts";
import type { GuildRules, OpenBreach, ServerRules } from "./rule-records.ts";

export interface RuleBookPorts {
  /** With `parseGuildRules`; durable. */
  readonly rules: Documents<GuildRules>;
  /** With `parseServerRules`; durable. */
  readonly states: Documents<ServerRules>;
  readonly audit: Pick<AuditLog, "get">;
  /** The store may be an older copy: what was done since is not in it. */
  readonly isStoreInDoubt: boolean;
}

export type RuledServer = Pick<Rule, "guildId" | "bindingId">;

/** `begun`: a step was claimed. `endOf`: the breach whose step ended so. */
export type RuleHappening =
  | { readonly ruleId: string; readonly begun: StepUnderWay }
  | { readonly ruleId: string; readonly event: RuleEvent; readonly endOf?: string };

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
    const found: (readonly [string, ServerRules])[] = [];
    for await (const entry of this.#ports.states.entries()) found.push(entry);
    for (const [key, kept] of found) {
      const now = await this.#withCutOff(kept);
      this.#servers.set(key, now);
      // What the audit says of it goes there in time.
      if (now !== kept) await this.#ports.states.set(key, now);
    }
  }

  /** What was under way when an earlier process ended: nobody hears of its outcome any more, but its row in the audit. */
  async #withCutOff(kept: ServerRules): Promise<ServerRules> {
    const records = new Map(Object.entries(kept.records));
    for (const [ruleId, { underWay = [], ...record }] of records) {
      let ended: RuleRecord = record;
      for (const step of underWay) ended = withEvent(ended, await this.#cutOff(kept.guildId, step));
      records.set(ruleId, ended);
    }
    const isAny = Object.values(kept.records).some(({ underWay }) => underWay !== undefined);
    return isAny ? { ...kept, records: Object.fromEntries(records) } : kept;
  }

  async #cutOff(guildId: string, { runId, atMs, player }: StepUnderWay): Promise<RuleEvent> {
    const unsure = { what: "sent", isUnsure: true, atMs, player } as const;
    if (runId === undefined) return unsure;
    const row = await this.#ports.audit.get(guildId, runId);
    if (row === undefined && this.#ports.isStoreInDoubt) return unsure;
    if (row === undefined)
      return { what: "dropped", why: "Marshal stopped before sending it.", atMs, player };
    if (row.ran === "no") return { what: "dropped", why: row.message ?? "It was not sent.", atMs, player };
    return row.ran === "yes" ? { what: "sent", atMs, player } : unsure;
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
    happened: readonly RuleHappening[] = [],
  ): Promise<void> {
    const key = `${guildId}:${bindingId}`;
    return this.#mutex.take(key, async () => {
      const before = this.#servers.get(key) ?? { guildId, bindingId, open: [], records: {} };
      const open = edit(before.open);
      if (open === before.open && happened.length === 0) return;
      const ids = new Set(this.rulesOf({ guildId, bindingId }).map(({ id }) => id));
      const records = new Map(Object.entries(before.records).filter(([id]) => ids.has(id)));
      for (const one of happened) {
        const { ruleId } = one;
        if (ids.has(ruleId)) records.set(ruleId, withHappening(records.get(ruleId) ?? NO_RECORD, one));
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

function withHappening({ underWay = [], ...record }: RuleRecord, one: RuleHappening): RuleRecord {
  if ("begun" in one) return { ...record, underWay: [...underWay, one.begun].slice(-KEPT_EVENTS) };
  const left = underWay.filter(({ breachId }) => breachId !== one.endOf);
  return { ...withEvent(record, one.event), ...(left.length === 0 ? {} : { underWay: left }) };
}

function withEvent(record: RuleRecord, event: RuleEvent): RuleRecord {
  const events = [...record.events, event].slice(-KEPT_EVENTS);
  const unsure = event.isUnsure === true ? { unsure: (record.unsure ?? 0) + 1 } : {};
  return { ...record, ...unsure, [event.what]: record[event.what] + 1, events };
}
