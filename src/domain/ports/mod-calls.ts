import type { Actor } from "../guild.ts";
import type { ModCallView } from "./feed-renderer.ts";

export type ModCallAct =
  | { readonly do: "claim" }
  | { readonly do: "release" }
  | { readonly do: "resolve"; readonly note?: string };

export interface ModCalls {
  /** The first claim wins; the answer says in words what happened. Cards follow by themselves. */
  act(
    actor: Actor,
    cardId: string,
    act: ModCallAct,
  ): Promise<{ readonly ok: boolean; readonly text: string; readonly view?: ModCallView }>;
}
