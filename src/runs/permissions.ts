import { Failure } from "../domain/failure.ts";
import { type Actor, type Binding, emptyPolicy, type StaffPolicy } from "../domain/guild.ts";
import type { Clock, Permissions, Settings, Snapshots } from "../domain/ports.ts";
import type { Decision, ParsedCommand } from "../domain/run.ts";
import { parseCommand } from "./parse.ts";
import { decide, isStaff } from "./policy.ts";
import { peopleOf } from "./targets.ts";

export interface PermissionPorts {
  readonly settings: Settings;
  readonly snapshots: Snapshots;
  readonly clock: Clock;
}

/** Who may what, by the latest that is known; sends nothing and asks the service nothing. */
export function createPermissions({ settings, snapshots, clock }: PermissionPorts): Permissions {
  const policyOf = async (actor: Actor, binding: Binding): Promise<StaffPolicy> =>
    (await settings.of(actor.guildId)).policies[binding.id] ?? emptyPolicy;
  return {
    decide: async (actor, binding, text): Promise<Decision> => {
      let command: ParsedCommand;
      try {
        command = parseCommand(text);
      } catch (error) {
        if (error instanceof Failure) return { allowed: false, why: error.message };
        throw error;
      }
      const people = peopleOf(snapshots.latest(binding.source), clock.nowMs());
      return decide(await policyOf(actor, binding), actor, command, people);
    },
    isStaff: async (actor, binding) => isStaff(await policyOf(actor, binding), actor.roleIds),
  };
}
