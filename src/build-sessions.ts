import { lookedUpTo } from "./build-history.ts";
import { sessionRenderer } from "./discord/render/sessions/session-cards.ts";
import type { JournalLooks } from "./domain/ports/journal.ts";
import type { Snapshots } from "./domain/ports/snapshots.ts";
import type { HistoryWing } from "./history/create-history.ts";
import type { Outbox } from "./outbox/create-outbox.ts";
import { createSessions, type SessionsPorts, type SessionsWing } from "./sessions/create-sessions.ts";

export interface SessionsBuildParts
  extends Pick<
    SessionsPorts,
    | "sessions"
    | "pages"
    | "mentions"
    | "bindings"
    | "demands"
    | "notifier"
    | "clock"
    | "random"
    | "isOlderCopy"
  > {
  /** Undefined: no history is kept, and calls are not counted. */
  readonly wing: Pick<HistoryWing, "dutyStore" | "privacy" | "stats"> | undefined;
  readonly journal: Pick<JournalLooks, "follow">;
  readonly snapshots: Pick<Snapshots, "latest">;
  readonly outbox: Pick<Outbox, "posts">;
  warn(what: string, error: unknown): void;
}

/** Builds sessions and lets them hear of looks. Starts nothing. */
export function buildSessions(parts: SessionsBuildParts): SessionsWing {
  const { wing, journal, snapshots, outbox, warn } = parts;
  const { sessions: kept, pages, mentions, bindings, demands, notifier, clock, random, isOlderCopy } = parts;
  const sessions = createSessions({
    sessions: kept,
    pages,
    mentions,
    messages: outbox.posts,
    renderer: sessionRenderer,
    notifier,
    bindings,
    demands,
    clock,
    random,
    isOlderCopy,
    report: warn,
    latest: (source) => snapshots.latest(source),
    async lookedS(server) {
      if (wing === undefined || (await wing.privacy.retention(server.guildId)) === "off") return "off";
      return await lookedUpTo(wing, server);
    },
    async figures({ guildId, bindingId }, span) {
      if (wing === undefined) throw new TypeError("no history is kept");
      const { calls, staff, knownS } = await wing.stats.server(guildId, { ...span, bindingId, zone: "UTC" });
      const { answered, timed, medianAnswerS } = calls;
      return { calls: calls.calls, answered, timed, medianAnswerS, staff, knownS };
    },
  });
  journal.follow({
    async take({ look }) {
      sessions.take(look);
    },
  });
  return sessions;
}
