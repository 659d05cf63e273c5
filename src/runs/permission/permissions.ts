import { Failure } from "../../domain/failure.ts";
import { type Actor, type Binding, EMPTY_POLICY, type StaffPolicy } from "../../domain/guild.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Permissions } from "../../domain/ports/permissions.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { Snapshots } from "../../domain/ports/snapshots.ts";
import type { Decision, ParsedCommand } from "../../domain/run.ts";
import { parseCommand } from "../catalogue/parse-command.ts";
import { findPerson, peopleOf } from "../catalogue/targets.ts";
import { type KnownPeoplePorts, knownPeople } from "./known-people.ts";
import { decide, decideCalls, decideModerator, decideVerb, isStaff } from "./permission-rules.ts";

export interface PermissionPorts extends KnownPeoplePorts {
  readonly settings: Settings;
  readonly snapshots: Snapshots;
  readonly clock: Clock;
}

/** Answers who may do what from the latest known lists, without a request to the service. */
export function createPermissions(ports: PermissionPorts): Permissions {
  const { settings, snapshots, clock } = ports;
  const policyOf = async (actor: Actor, binding: Binding): Promise<StaffPolicy> =>
    (await settings.of(actor.guildId)).policies[binding.id] ?? EMPTY_POLICY;
  return {
    decide: async (actor, binding, text): Promise<Decision> => {
      const command = read(text);
      if (command instanceof Failure) return { allowed: false, why: command.message };
      const about = { guildId: actor.guildId, command };
      const people = await knownPeople(ports, snapshots.latest(binding.source), about);
      return decide(await policyOf(actor, binding), actor, { command, people });
    },
    known: ({ guildId, roleIds }, bindingId) => {
      const policies = settings.known(guildId)?.policies;
      if (policies === undefined) return undefined;
      const policy = policies[bindingId] ?? EMPTY_POLICY;
      return {
        verb: (text) => {
          const command = read(text);
          if (command instanceof Failure) return { allowed: false, why: command.message };
          return decideVerb(policy, roleIds, command);
        },
        calls: () => decideCalls(policy, roleIds),
        moderator: () => decideModerator(policy, roleIds),
      };
    },
    decideCalls: async (actor, binding) => decideCalls(await policyOf(actor, binding), actor.roleIds),
    decideModerator: async (actor, binding) => decideModerator(await policyOf(actor, binding), actor.roleIds),
    mayRun: async (actor, binding) => {
      const policy = await policyOf(actor, binding);
      const people = peopleOf(snapshots.latest(binding.source), clock.nowMs());
      return (text) => {
        const command = read(text);
        if (command instanceof Failure) return false;
        const byVerb = decideVerb(policy, actor.roleIds, command);
        return (people === undefined ? byVerb : decide(policy, actor, { command, people })).allowed;
      };
    },
    findPlayer: ({ source }, nameOrId) => {
      const people = peopleOf(snapshots.latest(source), clock.nowMs());
      return people === undefined ? undefined : findPerson(nameOrId, people);
    },
    isStaff: async (actor, binding) => isStaff(await policyOf(actor, binding), actor.roleIds),
  };
}

/** The command, or why it cannot be read. */
function read(text: string): ParsedCommand | Failure {
  try {
    return parseCommand(text);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
