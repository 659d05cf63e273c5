import { type AppealsPorts, type AppealsWing, createAppeals } from "./appeals/create-appeals.ts";
import type { BuiltHistory } from "./build-history.ts";
import { appealRenderer } from "./discord/render/appeal-cards.ts";
import type { GrantableRoles } from "./domain/ports/member-roles.ts";
import type { Notifier, OwedMessages } from "./domain/ports/notifier.ts";
import type { Outbox } from "./outbox/create-outbox.ts";
import type { Runs } from "./runs/runs.ts";

export interface AppealsBuildParts
  extends Pick<AppealsPorts, "documents" | "settings" | "clock" | "random" | "wholeSinceMs"> {
  readonly history: Pick<BuiltHistory, "services" | "cases">;
  readonly runs: Pick<Runs, "accounts">;
  readonly discord: Pick<AppealsPorts, "threads" | "isOurs"> & { readonly roles: GrantableRoles };
  readonly outbox: Pick<Outbox, "posts">;
  readonly notifier: Notifier & OwedMessages;
  warn(what: string, error: unknown): void;
}

/** Builds appeals; where no history is kept there are no cases, and they cannot be turned on. Starts nothing. */
export function buildAppeals(parts: AppealsBuildParts): AppealsWing {
  const { documents, settings, clock, random, wholeSinceMs } = parts;
  const { history, runs, discord, outbox, notifier, warn } = parts;
  const { players, positions } = history.services.history;
  const wing = createAppeals({
    documents,
    settings,
    accounts: runs.accounts,
    players,
    positions,
    cases: history.services.cases,
    threads: discord.threads,
    owners: discord.roles,
    isOurs: (guildId) => discord.isOurs(guildId),
    posts: outbox.posts,
    owed: notifier,
    notifier,
    renderer: appealRenderer,
    clock,
    random,
    wholeSinceMs,
    report: warn,
  });
  history.cases?.onCaseChanged((guildId, number) => wing.onCaseChanged(guildId, number));
  return wing;
}
