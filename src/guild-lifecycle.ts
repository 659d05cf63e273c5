import type { AlertsWing } from "./alerts/create-alerts.ts";
import type { Service } from "./api/client.ts";
import type { BuiltRules } from "./build-rules.ts";
import type { GuildListener } from "./discord/connection/guild-events.ts";
import type { Services } from "./discord/services.ts";
import type { SourceId } from "./domain/model.ts";
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
}

export interface GuildLifecycle {
  /** For Discord: the bot was removed from a guild, or may do something else in it. */
  readonly listener: GuildListener;
  /** For commands: a server was linked, got a new key, or was unlinked. */
  readonly onLink: Pick<Services, "onLinked" | "onReplaced" | "onUnlinked">;
}

/** What each wing does when a server is linked or unlinked, and when a guild removes the bot. */
export function createGuildLifecycle(parts: GuildLifecycleParts): GuildLifecycle {
  const {
    bindings,
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

  /** Lets the gate forget a key that no guild uses any more, and drops what its last answers showed. */
  async function forgetIfUnlinked(source: SourceId): Promise<void> {
    await journal.unlinked(source);
    if ((await bindings.bySource(source)).length > 0) return;
    service.forget(source);
    cases?.forgetServer(source);
  }

  return {
    listener: {
      guildsToCheck: () => retention.guildsToCheck(),
      onPermissionsChanged(guildId) {
        feeds.permissionsChanged(guildId);
        outbox.permissionsChanged(guildId);
      },
      async onGuildRemoved(guildId) {
        const linked = await bindings.list(guildId);
        await retention.recordRemoval(guildId);
        await bindings.forgetGuild(guildId);
        await runs.onGuildRemoved(guildId);
        for (const binding of linked) {
          await runs.onUnlinked(binding);
          await rules.onGuildRemoved({ guildId, bindingId: binding.id });
        }
        await feeds.forgetGuild(guildId);
        await panels.drop({ guildId });
        await sessions.onGuildRemoved(guildId);
        await weekly?.onUnlinked(guildId);
        await alerts.onGuildRemoved(guildId, linked);
        await history?.onLinksChanged(guildId);
        for (const { source } of linked) await forgetIfUnlinked(source);
      },
    },
    onLink: {
      async onLinked({ source, guildId, id }) {
        await service.unpark(source);
        await history?.onLinksChanged(guildId);
        await alerts.onLinksChanged(guildId);
        rules.onLinksChanged(guildId);
        return { feedsBack: await retention.restoreFeeds(guildId, id, feeds.feeds) };
      },
      async onReplaced(from, to) {
        // Its guild was told that all is paused until the key works.
        const isNews = service.parked(from) !== undefined && (await bindings.bySource(to)).length === 1;
        if (isNews) serviceEvents.onEvent({ kind: "key-taken-again", source: to });
        runs.onReplaced(from, to);
        await journal.replaced(from, to);
        await feeds.replaced(from);
        await forgetIfUnlinked(from);
      },
      async onUnlinked(binding) {
        await runs.onUnlinked(binding);
        await feeds.unlinked(binding);
        await panels.drop({ guildId: binding.guildId, bindingId: binding.id });
        await sessions.onUnlinked({ guildId: binding.guildId, bindingId: binding.id });
        await rules.onUnlinked({ guildId: binding.guildId, bindingId: binding.id }, binding.name);
        await weekly?.onUnlinked(binding.guildId);
        await alerts.onUnlinked(binding);
        await history?.onLinksChanged(binding.guildId);
        await forgetIfUnlinked(binding.source);
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
