import { type AskedBan, askedText } from "../../domain/asked-ban.ts";
import { Failure } from "../../domain/failure.ts";
import { type Actor, type Binding, EMPTY_POLICY, type StaffPolicy } from "../../domain/guild.ts";
import type { Bindings } from "../../domain/ports/bindings.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { Settings } from "../../domain/ports/settings.ts";
import type { Snapshots } from "../../domain/ports/snapshots.ts";
import type { ParsedCommand } from "../../domain/run.ts";
import { parseCommand } from "../catalogue/parse-command.ts";
import { refuseSecondName } from "../catalogue/strangers.ts";
import { type KnownPeoplePorts, knownPeople } from "../permission/known-people.ts";
import { decide } from "../permission/permission-rules.ts";
import { whyNotAsked } from "./asked-rules.ts";

/** Time limit for reading the lists; then older ones are used. */
const READ_WITHIN_MS = 2_500;
const FRESH_MS = 10_000;

export interface AskedCheckPorts extends KnownPeoplePorts {
  readonly settings: Pick<Settings, "of">;
  readonly bindings: Pick<Bindings, "list" | "bySource">;
  readonly snapshots: Pick<Snapshots, "fresh" | "latest">;
  readonly clock: Clock;
}

/** Whether a ban may be asked for, and who may say yes, by the lists of this moment. */
export class AskedChecks {
  readonly #ports: AskedCheckPorts;

  constructor(ports: AskedCheckPorts) {
    this.#ports = ports;
  }

  /**
   * @throws Failure "denied" for staff of the game, protected players, and while the lists are not known; "bad-command"
   * for a reason that the game would read as a name.
   */
  async refuseTarget(asked: AskedBan): Promise<void> {
    const command = parseCommand(askedText(asked));
    refuseSecondName(command);
    const people = await this.#people(await this.bindingOf(asked), command);
    const why = whyNotAsked(await this.policyOf(asked), command, people);
    if (why !== undefined) throw new Failure("denied", why);
  }

  /** Whether asking for it again leads anywhere: the player may be protected by now, or the server unlinked. */
  async mayAskAgain(asked: AskedBan): Promise<boolean> {
    try {
      await this.refuseTarget(asked);
      return true;
    } catch (error) {
      if (error instanceof Failure) return false;
      throw error;
    }
  }

  /** @throws Failure "denied" for who may not ban this player. */
  async refuseUnlessBans(actor: Actor, asked: AskedBan): Promise<void> {
    const binding = await this.bindingOf(asked);
    const command = parseCommand(askedText(asked));
    const people = await this.#people(binding, command);
    const decision = decide(await this.policyOf(asked), actor, { command, people });
    const { id: bindingId } = binding;
    if (!decision.allowed) throw new Failure("denied", decision.why, { wants: decision.wants, bindingId });
  }

  async policyOf({ guildId, bindingId }: Pick<AskedBan, "guildId" | "bindingId">): Promise<StaffPolicy> {
    return (await this.#ports.settings.of(guildId)).policies[bindingId] ?? EMPTY_POLICY;
  }

  /** @throws Failure "not-linked" */
  async bindingOf({ guildId, bindingId }: Pick<AskedBan, "guildId" | "bindingId">): Promise<Binding> {
    const binding = (await this.#ports.bindings.list(guildId)).find(({ id }) => id === bindingId);
    if (binding === undefined) throw new Failure("not-linked", "The server is no longer linked.");
    return binding;
  }

  async #people({ source, guildId }: Binding, command: ParsedCommand) {
    const { snapshots, clock } = this.#ports;
    const abort = new AbortController();
    const late = new Failure("unreachable", "The lists could not be read in time.");
    const cancel = clock.after(READ_WITHIN_MS, () => abort.abort(late));
    const options = { maxAgeMs: FRESH_MS, signal: abort.signal, guildId };
    const state = await snapshots
      .fresh(source, ["players", "staff"], options)
      .catch((error: unknown) => {
        if (error instanceof Failure) return snapshots.latest(source);
        throw error;
      })
      .finally(cancel);
    return await knownPeople(this.#ports, state, { guildId, command });
  }
}
