import type { PlayerRef, Snapshot } from "../domain/model.ts";
import type { Rules } from "../domain/ports/rules.ts";
import type { Rule } from "../domain/rule.ts";
import type { LastLookPorts } from "./last-look.ts";
import { RuleBook, type RuleBookPorts, type RuledServer } from "./rule-book.ts";
import { RuleDesk, type RuleDeskPorts } from "./rule-desk.ts";
import { RuleSteps, type RuleStepsPorts } from "./rule-steps.ts";
import { RuleWatch, type RuleWatchPorts } from "./rule-watch.ts";

type Own =
  | "book"
  | "steps"
  | "seenNow"
  | "presentNow"
  | "othersAround"
  | "sightingsOf"
  | "waitsMs"
  | "onChanged";

export interface RulesPorts
  extends RuleBookPorts,
    Omit<RuleWatchPorts, Own>,
    Omit<RuleStepsPorts, Own>,
    Omit<RuleDeskPorts, Own> {
  readonly bindings: RuleWatchPorts["bindings"] & RuleStepsPorts["bindings"] & RuleDeskPorts["bindings"];
  readonly roles: RuleWatchPorts["roles"] & LastLookPorts["roles"];
  readonly renderer: RuleWatchPorts["renderer"] & RuleStepsPorts["renderer"];
  /** People of whom a name is known that begins so, whether they are there or not. Rejects where they cannot be read. */
  namesLike(guildId: string, beginning: string): Promise<readonly PlayerRef[]>;
}

export interface RulesWing {
  readonly rules: Rules;
  /** Takes up what an earlier process left. Rejects when the store fails. */
  start(): Promise<void>;
  /** An answer of a server. Waits for nothing. */
  take(look: Snapshot): void;
  /** A key was linked or replaced: the server is asked by it from now on. */
  onLinksChanged(guildId: string): void;
  onUnlinked(server: RuledServer): Promise<void>;
  /** Begins nothing more, and waits for what is being written. */
  stop(): Promise<void>;
}

/** Rules: what roles may have in the game. Starts nothing. */
export function createRules(ports: RulesPorts): RulesWing {
  const { bindings, accounts } = ports;
  const book = new RuleBook(ports);
  const sourceOf = ({ guildId, bindingId }: RuledServer) =>
    bindings.linkedOf(guildId).find(({ id }) => id === bindingId)?.source;
  const sightingsOf = (server: RuledServer) => {
    const source = sourceOf(server);
    return source === undefined ? undefined : watch.sightingsOf(source);
  };

  async function othersAround(rule: Rule, { name }: Required<PlayerRef>): Promise<readonly PlayerRef[]> {
    const linked = [...(await accounts.byPlayer(rule.guildId)).values()].map(({ player }) => player);
    const present = [...(sightingsOf(rule)?.players.values() ?? [])].map((one) => one.present.player);
    return [...present, ...linked, ...(await ports.namesLike(rule.guildId, name))];
  }

  const steps: RuleSteps = new RuleSteps({
    ...ports,
    book,
    othersAround,
    presentNow: (source) =>
      [...watch.sightingsOf(source).players.values()].map(({ present }) => present.player),
    seenNow: (source, playerId) => watch.sightingsOf(source).players.get(playerId),
  });
  const watch = new RuleWatch({ ...ports, book, steps });
  const rules = new RuleDesk({
    ...ports,
    book,
    sightingsOf,
    waitsMs: (rule, playerId) => watch.waitsMs(rule, playerId),
    onChanged: (server) => watch.demand(server),
  });
  return {
    rules,
    async start() {
      await book.load();
      for (const rule of book.all()) watch.demand(rule);
    },
    take: (look) => watch.take(look),
    onLinksChanged(guildId) {
      for (const rule of book.of(guildId).rules) watch.demand(rule);
    },
    async onUnlinked(server) {
      await book.change(server.guildId, (kept) => {
        const rules = kept.rules.filter(({ bindingId }) => bindingId !== server.bindingId);
        return rules.length === kept.rules.length ? kept : { ...kept, rules };
      });
      await book.forgetServer(server);
      watch.demand(server);
    },
    async stop() {
      await watch.stop();
      await steps.stop();
    },
  };
}
