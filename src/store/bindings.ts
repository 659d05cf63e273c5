import { Failure, StoreError } from "../domain/failure.ts";
import type { Binding } from "../domain/guild.ts";
import { KeyedMutex } from "../domain/keyed-mutex.ts";
import type { ServerStatus, SourceId } from "../domain/model.ts";
import type { Bindings, Linked, LinkedServer, NewLink } from "../domain/ports/bindings.ts";
import type { Clock, Random } from "../domain/ports/clock.ts";
import type { Documents } from "../domain/ports/documents.ts";
import type { KeyRing } from "../domain/ports/key-ring.ts";
import type { ServerKey } from "../domain/server-key.ts";
import { renamed } from "../domain/server-names.ts";
import { calledNow, nameOnLinking } from "./binding-names.ts";
import { chooseBinding } from "./choose-binding.ts";
import type { FormerBinding, GuildBindings, SealedBinding } from "./document-schemas.ts";
import type { Vault } from "./vault.ts";

export interface BindingParts {
  readonly documents: Documents<GuildBindings>;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly random: Random;
  /** How many game servers one guild may link: each is polled, and their polls are shared by all guilds. */
  readonly serversPerGuild: number;
  /** Called with each opened or linked key before anything else is done with it, so that no log can show it. */
  hideSecret(text: string): void;
}

export interface BindingStore extends Bindings {
  /** Reads which guild links which source. Must be called once, before anything else. */
  load(): Promise<void>;
  /** Forgets the former servers of a guild: linked again, they get new ids. */
  forgetFormer(guildId: string): Promise<void>;
  /** What a look shows of a server: its owner can change the join key, and its next server key is known by the one of now. */
  onSeen(source: SourceId, status: Identity): Promise<void>;
  /** Links that `load` found unfinished: the process ended before all wings had gone along, or the store refused one. */
  unfinished(): readonly Linked[];
  /** All wings have gone along with this link. */
  onFinished(binding: Binding): Promise<void>;
}

type Identity = Pick<ServerStatus, "ownerId" | "joinKey">;

/** Two views of the same documents, so that a part which needs to know what is linked cannot open a key. */
export interface LinkedServers {
  readonly bindings: BindingStore;
  /** For api/ alone. */
  readonly keys: KeyRing;
}

/** The place that a key is sealed to: copied to another guild or binding, it does not open. */
export function placeOfBinding(guildId: string, bindingId: string): string {
  return `binding/${guildId}/${bindingId}`;
}

function withoutSeal({ sealed: _, unfinished: __, ...binding }: SealedBinding): Binding {
  return binding;
}

/**
 * Keys that are tried at the start. One damaged row must not keep the bot down, but when none of these opens, the
 * secret is wrong.
 */
const OPENED_AT_START = 20;

export const WRONG_SECRET =
  "the server keys in the store can't be opened: SECRET_KEY or the secret.key beside it is not the one they were sealed with. Put that one back, set SECRET_KEY_OLD to it beside a new SECRET_KEY, or start with an empty store and link every server again";

/** One document a guild; changes of one guild never interleave. */
export function createBindings(parts: BindingParts): LinkedServers {
  const { documents, vault, clock, random, serversPerGuild, hideSecret } = parts;
  const guildsOf = new Map<SourceId, Set<string>>();
  const serversOf = new Map<string, readonly LinkedServer[]>();
  const identitiesOf = new Map<string, readonly (Identity & Pick<Binding, "source">)[]>();
  const turns = new KeyedMutex();
  let unfinished: Linked[] = [];

  const open = ({ sealed, guildId, id }: SealedBinding) => vault.open(sealed, placeOfBinding(guildId, id));

  function opens(binding: SealedBinding): boolean {
    try {
      open(binding);
      return true;
    } catch {
      return false;
    }
  }

  const read = async (guildId: string): Promise<readonly SealedBinding[]> =>
    (await documents.get(guildId))?.bindings ?? [];
  const readFormer = async (guildId: string): Promise<readonly FormerBinding[]> =>
    (await documents.get(guildId))?.former ?? [];

  function index(guildId: string, before: readonly Binding[], after: readonly Binding[]): void {
    for (const { source } of before) {
      const guilds = guildsOf.get(source);
      guilds?.delete(guildId);
      if (guilds?.size === 0) guildsOf.delete(source);
    }
    for (const { source } of after) guildsOf.set(source, (guildsOf.get(source) ?? new Set()).add(guildId));
    identitiesOf.set(
      guildId,
      after.map(({ source, ownerId, joinKey }) => ({ source, ownerId, joinKey })),
    );
    if (after.length === 0) identitiesOf.delete(guildId);
    if (after.length === 0) serversOf.delete(guildId);
    else
      serversOf.set(
        guildId,
        after.map(({ id, source }) => ({ guildId, id, source })),
      );
  }

  async function write(guildId: string, { before, after, former }: Change): Promise<void> {
    const kept = former.length === 0 ? { bindings: after } : { bindings: after, former };
    const nothing = after.length === 0 && former.length === 0;
    await (nothing ? documents.delete(guildId) : documents.set(guildId, kept));
    index(guildId, before, after);
  }

  /** Removes the keys. What identifies the servers stays, so that a guild that returns finds its settings. */
  async function forgetGuild(guildId: string): Promise<void> {
    const before = await read(guildId);
    const left = before.map(({ id, ownerId, joinKey }) => ({ id, ownerId, joinKey }));
    const older = (await readFormer(guildId)).filter((one) => !sameServer(before, one));
    await write(guildId, { before, after: [], former: [...older, ...left] });
  }

  async function sealedOf(source: SourceId): Promise<readonly SealedBinding[]> {
    const found: SealedBinding[] = [];
    for (const guildId of guildsOf.get(source) ?? []) {
      found.push(...(await read(guildId)).filter((binding) => binding.source === source));
    }
    return found;
  }

  async function link({ guildId, key, status, byUserId, moderatorRoleIds = [] }: NewLink): Promise<Linked> {
    hideSecret(key.reveal());
    const before = await read(guildId);
    const source = vault.sourceOf(key);
    const former = await readFormer(guildId);
    // The same server with a new key keeps its id, and with it its feeds, policy and history, even after a removal.
    const known = before.find((one) => one.source === source) ?? sameServer(before, status);
    refuseBeyond(serversPerGuild, before, known);
    const id = known?.id ?? sameServer(former, status)?.id ?? random.id();
    const replaced = known?.source === source ? known.unfinished?.replaced : known?.source;
    const roleIds = [...(known?.unfinished?.moderatorRoleIds ?? []), ...moderatorRoleIds];
    const roles = roleIds.length === 0 ? {} : { moderatorRoleIds: roleIds };
    const rest = { ...(replaced === undefined ? {} : { replaced }), ...roles };
    const binding: SealedBinding = {
      id,
      guildId,
      source,
      ...nameOnLinking(status.name, known, before),
      ...endOf(key),
      ownerId: status.ownerId,
      joinKey: status.joinKey,
      linkedBy: byUserId,
      linkedAtMs: clock.nowMs(),
      sealed: vault.seal(key, placeOfBinding(guildId, id)),
      unfinished: rest,
    };
    await write(guildId, {
      before,
      after: [...before.filter((one) => one.id !== id), binding],
      former: former.filter((one) => one.id !== id),
    });
    return { binding: withoutSeal(binding), ...rest };
  }

  async function rename(guildId: string, bindingId: string, wanted: string): Promise<Binding | undefined> {
    const before = await read(guildId);
    const found = before.find(({ id }) => id === bindingId);
    if (found === undefined) return undefined;
    const others = before.filter((one) => one !== found);
    const name = renamed(wanted, others);
    if (name === found.name) return withoutSeal(found);
    const after: SealedBinding = { ...found, ...calledNow(name, found), isRenamed: true };
    const former = await readFormer(guildId);
    await write(guildId, { before, after: before.map((one) => (one === found ? after : one)), former });
    return withoutSeal(after);
  }

  async function unlink(guildId: string, bindingId: string): Promise<Binding | undefined> {
    const before = await read(guildId);
    const gone = before.find(({ id }) => id === bindingId);
    if (gone === undefined) return undefined;
    const after = before.filter((one) => one !== gone);
    await write(guildId, { before, after, former: await readFormer(guildId) });
    return withoutSeal(gone);
  }

  async function onFinished({ guildId, id, source }: Binding): Promise<void> {
    const before = await read(guildId);
    const after = before.map((one) => {
      const { unfinished: _, ...finished } = one;
      return one.id === id && one.source === source ? finished : one;
    });
    await write(guildId, { before, after, former: await readFormer(guildId) });
  }

  async function onSeen(guildId: string, source: SourceId, { ownerId, joinKey }: Identity): Promise<void> {
    const before = await read(guildId);
    const after = before.map((one) => (one.source === source ? { ...one, ownerId, joinKey } : one));
    await write(guildId, { before, after, former: await readFormer(guildId) });
  }

  const bindings: BindingStore = {
    async load() {
      const samples: SealedBinding[] = [];
      unfinished = [];
      for await (const [guildId, { bindings: linked }] of documents.entries()) {
        index(guildId, [], linked);
        for (const one of linked)
          if (one.unfinished !== undefined) unfinished.push({ binding: withoutSeal(one), ...one.unfinished });
        if (samples.length < OPENED_AT_START) samples.push(...linked);
      }
      if (samples.length > 0 && !samples.some(opens)) throw new StoreError(WRONG_SECRET);
    },
    list: async (guildId) => (await read(guildId)).map(withoutSeal),
    pick: async (guildId, nameOrId) => withoutSeal(chooseBinding(await read(guildId), nameOrId?.trim())),
    async checkRoom(guildId, status) {
      const before = await read(guildId);
      refuseBeyond(serversPerGuild, before, sameServer(before, status));
    },
    link: (newLink) => turns.take(newLink.guildId, () => link(newLink)),
    rename: (guildId, bindingId, name) => turns.take(guildId, () => rename(guildId, bindingId, name)),
    unlink: (guildId, bindingId) => turns.take(guildId, () => unlink(guildId, bindingId)),
    async onSeen(source, status) {
      for (const guildId of [...(guildsOf.get(source) ?? [])]) {
        const known = identitiesOf.get(guildId)?.filter((one) => one.source === source) ?? [];
        if (known.length !== 1 || sameServer(known, status) !== undefined) continue;
        await turns.take(guildId, () => onSeen(guildId, source, status));
      }
    },
    bySource: async (source) => (await sealedOf(source)).map(withoutSeal),
    guildsOf: (source) => [...(guildsOf.get(source) ?? [])],
    linkedOf: (guildId) => serversOf.get(guildId) ?? [],
    *linked() {
      for (const servers of serversOf.values()) yield* servers;
    },
    async *all() {
      for await (const [, { bindings: linked }] of documents.entries()) yield* linked.map(withoutSeal);
    },
    unfinished: () => [...unfinished],
    onFinished: (binding) => turns.take(binding.guildId, () => onFinished(binding)),
    forgetGuild: (guildId) => turns.take(guildId, () => forgetGuild(guildId)),
    forgetFormer: (guildId) =>
      turns.take(guildId, async () => {
        const before = await read(guildId);
        await write(guildId, { before, after: before, former: [] });
      }),
  };

  const keys: KeyRing = {
    sourceOf: (key: ServerKey) => vault.sourceOf(key),
    sources: () => guildsOf.keys(),
    async keyOf(source) {
      const linked = await sealedOf(source);
      // Each guild has its own copy of the same key, so a damaged copy does not stop the others.
      const [binding] = linked.length > 1 ? linked.filter(opens) : linked;
      if (binding === undefined) return undefined;
      const key = open(binding);
      hideSecret(key.reveal());
      return key;
    },
  };

  return { bindings, keys };
}

const KEY_END_LENGTH = 4;
/** Of a shorter key four characters would be too much of it. */
const SHORTEST_KEY_TO_HINT = 12;

function endOf(key: ServerKey): { readonly keyEnd?: string } {
  const text = key.reveal();
  return text.length < SHORTEST_KEY_TO_HINT ? {} : { keyEnd: text.slice(-KEY_END_LENGTH) };
}

interface Change {
  readonly before: readonly SealedBinding[];
  readonly after: readonly SealedBinding[];
  readonly former: readonly FormerBinding[];
}

function sameServer<T extends Identity>(bindings: readonly T[], status: Identity): T | undefined {
  return bindings.find((one) => one.ownerId === status.ownerId && one.joinKey === status.joinKey);
}

/** Failure "bad-command" at the limit. A new key for a linked server needs no room, even after the limit was lowered. */
function refuseBeyond(
  most: number,
  linked: readonly SealedBinding[],
  known: SealedBinding | undefined,
): void {
  if (known !== undefined || linked.length < most) return;
  const words = `${linked.length} game servers are linked here. The maximum is ${most}`;
  throw new Failure("bad-command", `${words}. Unlink one first with /setup unlink.`);
}
