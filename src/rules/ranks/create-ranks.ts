import type { Snapshot } from "../../domain/model.ts";
import type { Documents } from "../../domain/ports/documents.ts";
import type { RankRenderer } from "../../domain/ports/rank-renderer.ts";
import type { Ranks } from "../../domain/ports/ranks.ts";
import type { RuledServer } from "../rule-book.ts";
import { RankBook, type RankBookPorts } from "./rank-book.ts";
import { RankDesk, type RankDeskPorts } from "./rank-desk.ts";
import { RankFacts, type RankFactsPorts } from "./rank-facts.ts";
import { RankKeepings } from "./rank-keeping.ts";
import { pauseRanks, withPause } from "./rank-pause.ts";
import type { RankKeeping } from "./rank-records.ts";
import { RankSteps, type RankStepsPorts } from "./rank-steps.ts";
import { RankWatch, type RankWatchPorts } from "./rank-watch.ts";
import { StepTimes } from "./step-times.ts";

type Own = "book" | "facts" | "keepings" | "times" | "steps" | "watch" | "sightingsOf" | "onNothingLeft";

export interface RanksPorts
  extends RankBookPorts,
    Omit<RankFactsPorts, Own>,
    Omit<RankStepsPorts, Own>,
    Omit<RankWatchPorts, Own>,
    Omit<RankDeskPorts, Own> {
  /** With `parseRankKeeping`; durable, of all guilds. */
  readonly keepings: Documents<RankKeeping>;
  readonly accounts: RankStepsPorts["accounts"];
  readonly bindings: RankWatchPorts["bindings"];
  readonly clock: RankStepsPorts["clock"];
  readonly roles: RankFactsPorts["roles"] & RankStepsPorts["roles"] & RankWatchPorts["roles"];
  readonly renderer: RankRenderer;
  /** The store was put back from an older copy: ranks that were given or taken since are not in it. */
  readonly isOlderCopy: boolean;
}

const OLDER_COPY =
  "Marshal's database was restored from an older copy, so it can't be sure which ranks it gave.";

export interface RanksWing {
  readonly ranks: Ranks;
  /** Takes up what an earlier process left. Rejects when the store fails. */
  start(): Promise<void>;
  /** An answer of a server. Waits for nothing. */
  take(look: Snapshot): void;
  /** A key was linked or replaced: the server is asked by it from now on. */
  onLinksChanged(guildId: string): void;
  /** People took the server away: whom Marshal raised keeps the rank, and that is told. */
  onUnlinked(server: RuledServer, name: string): Promise<void>;
  /** The guild has removed the bot: what Marshal raised stays known, and nothing goes on until somebody confirms it anew. */
  onGuildRemoved(server: RuledServer): Promise<void>;
  /** Begins nothing more, and waits for what is being written. */
  stop(): Promise<void>;
}

/** Ranks of the game that follow roles. Starts nothing. */
export function createRanks(ports: RanksPorts): RanksWing {
  const { clock, notifier, renderer } = ports;
  const book = new RankBook(ports);
  const keepings = new RankKeepings(ports.keepings);
  const times = new StepTimes(clock);
  const sightingsOf: RankFactsPorts["sightingsOf"] = (source) => watch.sightingsOf(source);
  const facts = new RankFacts({ ...ports, times, sightingsOf });
  const steps = new RankSteps({ ...ports, book, facts, keepings, times, sightingsOf });
  async function onNothingLeft(server: RuledServer): Promise<void> {
    const source = watch.sourceOf(server);
    if (source !== undefined) await keepings.release(source, server);
    watch.demand(server);
  }
  const watch: RankWatch = new RankWatch({ ...ports, book, facts, steps, times, onNothingLeft });
  const ranks = new RankDesk({ ...ports, book, facts, keepings, watch, onNothingLeft });
  return {
    ranks,
    async start() {
      await book.load();
      for (const server of book.all()) {
        if (ports.isOlderCopy && server.keeper !== undefined)
          await pauseRanks({ ...ports, book }, server, OLDER_COPY);
        watch.demand(server);
      }
    },
    take: (look) => watch.take(look),
    onLinksChanged(guildId) {
      for (const server of book.ofGuild(guildId)) watch.demand(server);
    },
    async onUnlinked(server, name) {
      const kept = book.of(server);
      if (kept === undefined) return;
      await book.forget(server);
      await keepings.releaseAll(server);
      watch.demand(server);
      const raised = kept.raised.filter(({ state }) => state !== "wanted");
      if (raised.length === 0) return;
      const people = raised.map(({ playerId: id, name, rank }) => ({ player: { id, name }, rank }));
      await notifier.guild(server.guildId, renderer.unlinked(name, people), kept.keeper?.byId);
    },
    async onGuildRemoved(server) {
      if (book.of(server) === undefined) return;
      const why = "Marshal was removed from this Discord server.";
      await book.change(server, (kept) => withPause(kept, { atMs: clock.nowMs(), why }));
      await keepings.releaseAll(server);
      watch.demand(server);
    },
    stop: () => watch.stop(),
  };
}
