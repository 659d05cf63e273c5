import { Failure } from "../domain/failure.ts";
import type { Binding, Feed } from "../domain/guild.ts";
import type { Bindings } from "../domain/ports/bindings.ts";

/** The linked servers that feeds read. */
export class FeedServers {
  readonly #bindings: Pick<Bindings, "list">;

  constructor(bindings: Pick<Bindings, "list">) {
    this.#bindings = bindings;
  }

  async of({ guildId, bindingId }: Feed): Promise<Binding | undefined> {
    return (await this.#bindings.list(guildId)).find((one) => one.id === bindingId);
  }

  /** Failure "not-linked" where the server is gone. */
  async ofOrRefuse(feed: Feed): Promise<Binding> {
    const binding = await this.of(feed);
    if (binding === undefined) throw new Failure("not-linked", "That server is no longer linked.");
    return binding;
  }

  /** The name to show; undefined where a guild has no choice of servers. */
  async nameOf(feed: Feed): Promise<string | undefined> {
    const bindings = await this.#bindings.list(feed.guildId);
    return bindings.length < 2 ? undefined : bindings.find((one) => one.id === feed.bindingId)?.name;
  }

  /** Names that the server had before. */
  async formerNamesOf(feed: Feed): Promise<readonly string[]> {
    return (await this.of(feed))?.formerNames ?? [];
  }
}
