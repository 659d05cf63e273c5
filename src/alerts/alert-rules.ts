import { z } from "zod";
import type { AlertRule } from "../domain/alert.ts";
import { ALERT_KINDS } from "../domain/alert-kinds.ts";
import { Failure } from "../domain/failure.ts";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { NewAlert } from "../domain/ports/alerts.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Documents } from "../domain/ports/documents.ts";

const schema = z.object({
  rules: z.array(
    z.object({
      id: z.string(),
      guildId: z.string(),
      bindingId: z.string(),
      kind: z.enum(ALERT_KINDS),
      channelId: z.string(),
      count: z.number().exactOptional(),
      withinS: z.number().exactOptional(),
      roleId: z.string().exactOptional(),
      quiet: z.object({ fromMinute: z.number(), toMinute: z.number() }).exactOptional(),
      withoutTeams: z.array(z.string()).readonly().exactOptional(),
      createdBy: z.string(),
      createdAtMs: z.number(),
    }),
  ),
});

/** The alerts of one guild, as they are stored. */
export interface GuildAlerts {
  readonly rules: readonly AlertRule[];
}

/** For the store: checks on reading. */
export function parseGuildAlerts(value: unknown): GuildAlerts {
  return schema.parse(value);
}

/** More than any community reads. */
const MOST_ALERTS = 25;

export interface AlertRulesPorts {
  /** With `parseGuildAlerts`; durable. By guild. */
  readonly documents: Documents<GuildAlerts>;
  readonly clock: Pick<Clock, "nowMs">;
  readonly random: Pick<Random, "id">;
}

/** Which alerts guilds have set up: in memory, and written before they count. */
export class AlertRules {
  readonly #ports: AlertRulesPorts;
  readonly #byGuild = new Map<string, readonly AlertRule[]>();
  readonly #changes = new KeyedMutex();

  constructor(ports: AlertRulesPorts) {
    this.#ports = ports;
  }

  /** Once, before anything else. Rejects when the store fails. */
  async load(): Promise<void> {
    for await (const [guildId, { rules }] of this.#ports.documents.entries()) {
      if (rules.length > 0) this.#byGuild.set(guildId, rules);
    }
  }

  get guilds(): readonly string[] {
    return [...this.#byGuild.keys()];
  }

  /** Oldest first. */
  of(guildId: string): readonly AlertRule[] {
    return this.#byGuild.get(guildId) ?? [];
  }

  async add(wanted: NewAlert): Promise<AlertRule> {
    const { clock, random } = this.#ports;
    return await this.#changes.take(wanted.guildId, async () => {
      const before = this.of(wanted.guildId);
      if (before.length >= MOST_ALERTS) {
        throw new Failure(
          "bad-command",
          `This community has ${MOST_ALERTS} alerts, the maximum. Remove one first.`,
        );
      }
      refuseTwin(before, wanted);
      const rule: AlertRule = { ...wanted, id: random.id(), createdAtMs: clock.nowMs() };
      await this.#put(wanted.guildId, [...before, rule]);
      return rule;
    });
  }

  /** Undefined: there is no such alert. */
  async edit(
    guildId: string,
    alertId: string,
    changed: (rule: AlertRule) => AlertRule,
  ): Promise<AlertRule | undefined> {
    return await this.#changes.take(guildId, async () => {
      const before = this.of(guildId);
      const at = before.findIndex(({ id }) => id === alertId);
      const rule = before[at];
      if (rule === undefined) return undefined;
      const next = changed(rule);
      refuseTwin(before.toSpliced(at, 1), next);
      await this.#put(guildId, before.with(at, next));
      return next;
    });
  }

  async remove(guildId: string, isMeant: (rule: AlertRule) => boolean): Promise<readonly AlertRule[]> {
    return await this.#changes.take(guildId, async () => {
      const before = this.of(guildId);
      const removed = before.filter(isMeant);
      if (removed.length > 0)
        await this.#put(
          guildId,
          before.filter((rule) => !isMeant(rule)),
        );
      return removed;
    });
  }

  /** What is stored of a guild that the bot left is kept for a while; nothing is done about it. */
  forget(guildId: string): void {
    this.#byGuild.delete(guildId);
  }

  /** The bot is back in a guild that it had left. */
  async restore(guildId: string): Promise<void> {
    await this.#changes.take(guildId, async () => {
      if (this.#byGuild.has(guildId)) return;
      const stored = await this.#ports.documents.get(guildId);
      if (stored !== undefined && stored.rules.length > 0) this.#byGuild.set(guildId, stored.rules);
    });
  }

  async #put(guildId: string, rules: readonly AlertRule[]): Promise<void> {
    if (rules.length === 0) await this.#ports.documents.delete(guildId);
    else await this.#ports.documents.set(guildId, { rules });
    if (rules.length === 0) this.#byGuild.delete(guildId);
    else this.#byGuild.set(guildId, rules);
  }
}

function refuseTwin(others: readonly AlertRule[], wanted: NewAlert): void {
  if (!others.some((rule) => isTwin(rule, wanted))) return;
  throw new Failure(
    "bad-command",
    "That channel already has this alert. Change that one, or choose another channel.",
  );
}

/** The alert that would post the same thing twice in one channel. */
function isTwin(rule: AlertRule, { bindingId, kind, channelId, count, withinS }: NewAlert): boolean {
  return (
    rule.bindingId === bindingId &&
    rule.kind === kind &&
    rule.channelId === channelId &&
    rule.count === count &&
    rule.withinS === withinS
  );
}
