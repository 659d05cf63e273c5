import type { Actor, Binding } from "../guild.ts";
import type { Decision } from "../run.ts";

export interface Permissions {
  decide(actor: Actor, binding: Binding, text: string): Promise<Decision>;
  /** Any tier at all on this server: sees the join key, the audit of it. */
  isStaff(actor: Actor, binding: Binding): Promise<boolean>;
}
