import type { CaseDraft } from "../../domain/case.ts";
import type { AnswerOf, ArgsOf, QueryName } from "../queries/named-queries.ts";
import { type CaseStore, MOST_CASES, type WatchStore } from "./case-store.ts";

export type Call = <N extends QueryName>(name: N, args: ArgsOf<N>) => Promise<AnswerOf<N>>;

/** Cases in the database of the history, by its named questions. */
export function storedCases(call: Call, secondOf: (draft: CaseDraft) => number): CaseStore {
  return {
    add: (draft, card) => call("cases.add", { draft, card, most: MOST_CASES, atS: secondOf(draft) }),
    get: (guildId, number) => call("cases.get", { guildId, number }),
    byOrigin: (guildId, origin) => call("cases.byOrigin", { guildId, origin }),
    put: (one) => call("cases.put", { one }),
    search: (guildId, filter) => call("cases.search", { guildId, filter }),
    counts: (guildId, playerId, of) => call("cases.counts", { guildId, playerId, ...of }),
    erasePlayer: (guildId, number, playerId) => call("cases.erasePlayer", { guildId, number, playerId }),
    open: (sinceMs, page) => call("cases.open", { sinceMs, ...page }),
  };
}

/** The watchlists in the same database. */
export function storedWatches(call: Call): WatchStore {
  return {
    put: (row) => call("watches.put", { row }),
    remove: (guildId, playerId) => call("watches.remove", { guildId, playerId }),
    all: () => call("watches.all", {}),
  };
}
