import type { AlertsWing } from "./alerts/create-alerts.ts";
import type { Service } from "./api/client.ts";
import type { BuiltRules } from "./build-rules.ts";
import type { GuildListener } from "./discord/connection/guild-events.ts";
import type { Services } from "./discord/services.ts";
import { withModerators } from "./domain/guild.ts";
import { KeyedMutex } from "./domain/keyed-mutex.ts";
import type { SourceId } from "./domain/model.ts";
import type { Linked } from "./domain/ports/bindings.ts";
import type { FeedsWing } from "./feeds/feeds.ts";
import type { PanelBoard } from "./feeds/panels/panel-board.ts";
import type { CasesRoom } from "./history/cases/create-cases.ts";
import type { HistoryWing } from "./history/create-history.ts";
import type { WeeklyBoard } from "./history/weekly/weekly-board.ts";
import type { JournalWing } from "./journal/create-journal.ts";
import type { ServiceEvents } from "./ops/service-events.ts";
import type { Runs } from "./runs/runs.ts";
import type { SessionsWing } from "./sessions/create-sessions.ts";
import type { BindingStore } from "./store/bindings.ts";
import type { GuildRetention } from "./store/guild-retention.ts";
import type { SettingsStore } from "./store/settings.ts";

export interface GuildLifecycleParts {
  readonly bindings: BindingStore;
  readonly settings: Pick<SettingsStore, "change">;
  readonly retention: GuildRetention;
  readonly service: Service;
  readonly serviceEvents: Pick<ServiceEvents, "onEvent">;
  readonly feeds: FeedsWing;
  readonly journal: Pick<JournalWing, "replaced" | "unlinked">;
  readonly panels: PanelBoard;
  readonly runs: Runs;
  readonly history: {
    readonly wing: Pick<HistoryWing, "onLinksChanged"> | undefined;
    readonly cases: Pick<CasesRoom, "forgetServer"> | undefined;
    readonly weekly: Pick<WeeklyBoard, "onUnlinked"> | undefined;
  };
  readonly outbox: { permissionsChanged(guildId: string): void };
  readonly sessions: Pick<SessionsWing, "onUnlinked" | "onGuildRemoved">;
  readonly rules: Pick<BuiltRules, "onGuildRemoved" | "onLinksChanged" | "onUnlinked">;
  readonly alerts: Pick<AlertsWing, "onLinksChanged" | "onUnlinked" | "onGuildRemoved">;
  report(what: string, error: unknown): void;
}

export interface GuildLifecycle {
  /** For Discord: the bot was removed from a guild, or may do something else in it. */
  readonly listener: GuildListener;
  /** For commands: a server was linked, maybe with a new key, or unlinked. */
  readonly onLink: Pick<Services, "onLinked" | "onUnlinked">;
  /** Before the servers are asked: takes every wing along with the links at which the process before ended, or the store refused one. */
  finishLinks(): Promise<void>;
  /** Resolves when every guild has ended that is being linked or forgotten now. */
  settled(): Promise<void>;
}

/** What each wing does when a server is linked or unlinked, and when a guild removes the bot. */
export function createGuildLifecycle(parts: GuildLifecycleParts): GuildLifecycle {
  const {
    bindings,
    settings,
    retention,
    service,
    serviceEvents,
    feeds,
    journal,
    panels,
    runs,
    history: { wing: history, cases, weekly },
    alerts,
    sessions,
    rules,
    outbox,
  } = parts;

  /** A guild that is back may link its server before its removal has come to the last wing. */
  const turns = new KeyedMutex();

  /**
   * Takes each step, also where one before it was refused: a wing that is left out would go on as if nothing had happened, with
   * the key of another guild where one shares the server. Rejects with the first refusal.
   */
  async function takeAll(steps: readonly (() => unknown)[]): Promise<void> {
    const refusals: unknown[] = [];
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        refusals.push(error);
      }
    }
    const [first, ...others] = refusals;
    for (const error of others)
      parts.report("a part could not go along with a change of what is linked", error);
    if (refusals.length > 0) throw first;
  }

  /** Lets the gate forget a key that no guild uses any more, and drops what its last answers showed. */
  const forgetIfUnlinked = (source: SourceId) =>
    takeAll([
      () => journal.unlinked(source),
      async () => {
        if ((await bindings.bySource(source)).length > 0) return;
        service.forget(source);
        cases?.forgetServer(source);
      },
    ]);

  async function onReplaced(from: SourceId, to: SourceId): Promise<void> {
    // Its guild was told that all is paused until the key works.
    const isNews = service.parked(from) !== undefined && (await bindings.bySource(to)).length === 1;
    if (isNews) serviceEvents.onEvent({ kind: "key-taken-again", source: to });
    runs.onReplaced(from, to);
    await takeAll([() => journal.replaced(from, to), () => feeds.replaced(from)]);
    // Not before: what could not move yet still stands in the journal of the key before.
    await forgetIfUnlinked(from);
  }

  async function onLinked({
    binding,
    replaced,
    moderatorRoleIds = [],
  }: Linked): Promise<{ readonly feedsBack: number }> {
    const { source, guildId, id } = binding;
    let feedsBack = 0;
    await takeAll([
      () => (replaced === undefined || replaced === source ? undefined : onReplaced(replaced, source)),
      () => service.unpark(source),
      () =>
        moderatorRoleIds.length === 0
          ? undefined
          : settings.change(guildId, (now) => withModerators(now, id, moderatorRoleIds)),
      () => history?.onLinksChanged(guildId),
      () => alerts.onLinksChanged(guildId),
      () => rules.onLinksChanged(guildId),
      async () => {
        feedsBack = await retention.restoreFeeds(guildId, id, feeds.feeds);
      },
    ]);
    // Only now: until then the next start takes all of them along.
    await bindings.onFinished(binding);
    return { feedsBack };
  }

  async function onGuildRemoved(guildId: string): Promise<void> {
    const linked = await bindings.list(guildId);
    await retention.recordRemoval(guildId);
    await bindings.forgetGuild(guildId);
    await takeAll([
      () => runs.onGuildRemoved(guildId),
      ...linked.flatMap((binding) => [
        () => runs.onUnlinked(binding),
        () => rules.onGuildRemoved({ guildId, bindingId: binding.id }),
      ]),
      () => feeds.forgetGuild(guildId),
      () => panels.drop({ guildId }),
      () => sessions.onGuildRemoved(guildId),
      () => weekly?.onUnlinked(guildId),
      () => alerts.onGuildRemoved(guildId, linked),
      () => history?.onLinksChanged(guildId),
      ...linked.map(
        ({ source }) =>
          () =>
            forgetIfUnlinked(source),
      ),
    ]);
  }

  return {
    settled: () => turns.idle(),
    async finishLinks() {
      for (const linked of bindings.unfinished()) {
        await onLinked(linked).catch((error: unknown) =>
          parts.report("a part could not go along with a server that was linked before the start", error),
        );
      }
    },
    listener: {
      guildsToCheck: () => retention.guildsToCheck(),
      onPermissionsChanged(guildId) {
        feeds.permissionsChanged(guildId);
        outbox.permissionsChanged(guildId);
      },
      onGuildRemoved: (guildId) => turns.take(guildId, () => onGuildRemoved(guildId)),
    },
    onLink: {
      onLinked: (linked) => turns.take(linked.binding.guildId, () => onLinked(linked)),
      async onUnlinked(binding) {
        const server = { guildId: binding.guildId, bindingId: binding.id };
        await takeAll([
          () => runs.onUnlinked(binding),
          () => feeds.unlinked(binding),
          () => panels.drop(server),
          () => sessions.onUnlinked(server),
          () => rules.onUnlinked(server, binding.name),
          () => weekly?.onUnlinked(binding.guildId),
          () => alerts.onUnlinked(binding),
          () => history?.onLinksChanged(binding.guildId),
          () => forgetIfUnlinked(binding.source),
        ]);
      },
    },
  };
}

/** Every guild that has linked a server or changed a setting; some come twice. */
export async function* knownGuilds({
  bindings,
  settings,
}: {
  readonly bindings: Pick<BindingStore, "linked">;
  readonly settings: Pick<SettingsStore, "guilds">;
}): AsyncGenerator<string> {
  for (const { guildId } of bindings.linked()) yield guildId;
  yield* settings.guilds();
}
