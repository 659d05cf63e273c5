/** A request that was written and never answered: it may have been a refusal. */
export interface Silence {
  readonly sentMs: number;
  /** When it may have been refused at the latest. */
  readonly atMs: number;
  readonly untilMs: number;
  readonly guildId: string | undefined;
  /** It holds a unit. False: asked in an outage with a key that holds one already. */
  readonly holds: boolean;
}

/** Of those that hold no unit. */
const MOST_REMEMBERED = 8;

export function holdsAt({ holds, untilMs }: Silence, nowMs: number): boolean {
  return holds && nowMs < untilMs;
}

/** Of those that hold nothing the latest, as many as there is `room` for, hold units from now on. */
export function counted(silences: readonly Silence[], room: number): readonly Silence[] {
  const latest = new Set(silences.filter(({ holds }) => !holds).slice(room > 0 ? -room : silences.length));
  return silences.map((silence) => (latest.has(silence) ? { ...silence, holds: true } : silence));
}

/** Whether somebody typed the key. */
export function isTyped(silences: readonly Silence[]): boolean {
  return silences.some(({ guildId }) => guildId !== undefined);
}

/** Without what is over, and of those that hold nothing the latest only. */
export function pruned(silences: readonly Silence[], nowMs: number): readonly Silence[] {
  const current = silences.filter(({ untilMs }) => nowMs < untilMs);
  const surplus = current.filter(({ holds }) => !holds).slice(0, -MOST_REMEMBERED);
  return surplus.length === 0 ? current : current.filter((silence) => !surplus.includes(silence));
}
