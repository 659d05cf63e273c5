import { Failure } from "../domain/failure.ts";
import type { CommandAnswer, SourceId } from "../domain/model.ts";
import type { KnownPermission, OwnerPage, PermissionCheck } from "../domain/ports/command-permission.ts";
import type { CommandOptions } from "../domain/ports/service-client.ts";
import type { ServiceClientOptions } from "./client-options.ts";
import type { Gate } from "./gate.ts";
import { linkedKey } from "./gate-failures.ts";
import { CommandPermissions, type StoredCommandPermission } from "./keys/command-permissions.ts";
import { ownerPage } from "./keys/owner-page.ts";
import { readCommandAnswer } from "./schema.ts";

export interface CommandCallsParts
  extends Pick<
    ServiceClientOptions,
    "keys" | "clock" | "serviceUrl" | "serviceAppId" | "publicAddresses" | "commandPermissions"
  > {
  readonly gate: Pick<Gate, "send">;
  /** What is known of a server's permission is to be kept, or no longer (undefined). */
  readonly keep: (source: SourceId, record: StoredCommandPermission | undefined) => void;
}

/** Commands to the service, and whose owners let this host run them. */
export class CommandCalls {
  readonly #parts: CommandCallsParts;
  readonly #permissions = new CommandPermissions();

  constructor(parts: CommandCallsParts) {
    this.#parts = parts;
  }

  /** Sends one command; rejects with a Failure, without a request where the owner's refusal is known. */
  async command(source: SourceId, text: string, options: CommandOptions = {}): Promise<CommandAnswer> {
    const refusal = this.#permissions.refusal(source, this.#parts.clock.monotonicMs());
    if (refusal !== undefined) throw refusal;
    try {
      const answered = await this.#post(source, { command: text }, options);
      if (this.#permissions.onRan(source, this.#now())) this.#keep(source);
      const answer = readCommandAnswer(answered.json);
      return { ...answer, sentAtMs: answered.sentAtMs, answeredAtMs: answered.readAtMs };
    } catch (error) {
      const isRefused = error instanceof Failure && this.#permissions.onRefused(source, error, this.#now());
      if (isRefused) this.#keep(source);
      throw error;
    }
  }

  /** Asks by an empty command whether the owner allows commands. */
  async check(source: SourceId, guildId: string): Promise<PermissionCheck> {
    const now = this.#now();
    const freeMs = this.#permissions.takeCheck(source, now.ms);
    if (freeMs !== undefined) return { kind: "too-soon", atMs: Math.ceil(now.wallMs + freeMs - now.ms) };
    try {
      await this.#post(source, {}, { guildId });
      return { kind: "unclear" };
    } catch (error) {
      const shown =
        error instanceof Failure ? this.#permissions.judge(source, error, this.#now()) : undefined;
      if (shown === undefined) throw error;
      this.#keep(source);
      return shown;
    }
  }

  async ownerPage(source: SourceId): Promise<OwnerPage> {
    const { keys, serviceUrl, serviceAppId: appId, publicAddresses: addresses = [] } = this.#parts;
    return ownerPage(linkedKey(await keys.keyOf(source)), { serviceUrl, appId, addresses });
  }

  known(source: SourceId): KnownPermission {
    return this.#permissions.of(source, this.#now());
  }

  /** What an earlier process knew. */
  async restore(): Promise<void> {
    for await (const [source, record] of this.#parts.commandPermissions.entries())
      this.#permissions.restore(source as SourceId, record, this.#now());
  }

  /** Nobody has it linked any more. */
  forget(source: SourceId): void {
    if (this.#permissions.forget(source)) this.#keep(source);
  }

  async #post(source: SourceId, body: object, { signal, mayStart, guildId }: CommandOptions) {
    const { keys, gate } = this.#parts;
    return await gate.send({
      source,
      key: linkedKey(await keys.keyOf(source)),
      route: "command",
      waitingClass: "person",
      turn: guildId,
      path: "/v2/server/command",
      body: JSON.stringify(body),
      signal,
      mayStart,
    });
  }

  #keep(source: SourceId): void {
    this.#parts.keep(source, this.#permissions.stored(source, this.#now()));
  }

  #now(): { readonly ms: number; readonly wallMs: number } {
    const { clock } = this.#parts;
    return { ms: clock.monotonicMs(), wallMs: clock.nowMs() };
  }
}
