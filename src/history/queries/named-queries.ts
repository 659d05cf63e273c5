import type { QueryContext } from "./context.ts";
import * as guilds from "./guilds.ts";
import * as players from "./players.ts";

/**
 * Every question and change that may cross to the worker, by name. Arguments and answers are plain data. A query is
 * `(context, args) => Promise<answer>`; each group has a file of its own.
 */
export const namedQueries = {
  "guild.retention": guilds.retention,
  "players.search": players.search,
  "players.find": players.find,
} satisfies Readonly<Record<string, (context: QueryContext, args: never) => Promise<unknown>>>;

export type NamedQueries = typeof namedQueries;
export type QueryName = keyof NamedQueries;
export type ArgsOf<N extends QueryName> = Parameters<NamedQueries[N]>[1];
export type AnswerOf<N extends QueryName> = Awaited<ReturnType<NamedQueries[N]>>;
