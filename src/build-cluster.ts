import { buildMarshal } from "./build-marshal.ts";
import type { HeldLease } from "./cluster/held-lease.ts";
import { identifyTurns } from "./cluster/identify-turns.ts";
import { leaseBoundClock } from "./cluster/lease-bound-clock.ts";
import { openRedisLimits, type RedisLimits } from "./cluster/limits/redis-limits.ts";
import { fenceKeyOf, openRedisLeases, type RedisLeases } from "./cluster/redis-leases.ts";
import { blocksBeside, blocksOf, nameOf, type ShardBlock } from "./cluster/shard-block.ts";
import { ShardClaimant } from "./cluster/shard-claimant.ts";
import type { Config } from "./config.ts";
import { createGateway, type Gateway } from "./discord/connection/gateway.ts";
import { LoginError } from "./discord/connection/log-in.ts";
import { recommendedShards } from "./discord/connection/recommended-shards.ts";
import type { FeedStore } from "./domain/ports/feed-store.ts";
import { type FeedPlace, KnownStore, STORE_IS_NEW } from "./known-store.ts";
import { leaseBoundLog } from "./leased-parts.ts";
import type { Marshal, Runtime } from "./marshal.ts";
import { openDocuments } from "./open-documents.ts";
import { createMetrics, type MetricsRegistry } from "./ops/metrics.ts";
import { openStore } from "./store/open-store.ts";

/**
 * A process that shares its store with others: it claims shards, serves them for as long as its lease lasts, and stands
 * by otherwise. Each lease gets a bot of its own that starts from the store, because what another process wrote
 * meanwhile is nowhere in this one's memory. Rejects with a StoreError when it
 * could not serve, with a StoreAwayError while Redis is away.
 */
export async function buildCluster(config: Config, runtime: Runtime): Promise<Marshal> {
  // The operator reads at the start what has to be mended, also where it would stop the process at a takeover only.
  const store = await openStore(config.storeUrl, { log: runtime.log, waitMs: START_WAIT_MS });
  let known: KnownStore;
  try {
    const documents = await openDocuments(store, config, runtime);
    const identity = await documents.prove();
    const channels = await channelsOf(documents.feedStore);
    known = new KnownStore({ id: identity?.id, channels }, runtime.log);
  } finally {
    await store.close();
  }
  const leases = await openRedisLeases(config.storeUrl, runtime.log);
  const limits = await openRedisLimits(config.storeUrl, runtime.log);
  return new ClusterMember(config, runtime, { leases, limits }, known).marshal;
}

/** Who starts it tries again. */
const START_WAIT_MS = 2_000;
const INTRODUCE_AGAIN_MS = 30_000;

/** Where live feeds post. */
async function channelsOf(feedStore: Pick<FeedStore, "all">): Promise<readonly FeedPlace[]> {
  const channels: FeedPlace[] = [];
  for await (const { guildId, channelId, state } of feedStore.all())
    if (state === "live") channels.push([guildId, channelId]);
  return channels;
}

class ClusterMember {
  readonly #config: Config;
  readonly #runtime: Runtime;
  readonly #leases: RedisLeases;
  readonly #limits: RedisLimits;
  readonly #claimant: ShardClaimant;
  readonly #metrics: MetricsRegistry;
  readonly #stopping = new AbortController();
  readonly #ended = Promise.withResolvers<string>();
  #gateway: { readonly gateway: Gateway; readonly block: ShardBlock } | undefined;
  #lease: HeldLease | undefined;
  readonly #knownStore: KnownStore;
  #bot: Marshal | undefined;
  #isIntroduced = false;
  #serving: Promise<void> = Promise.resolve();

  constructor(
    config: Config,
    runtime: Runtime,
    redis: { leases: RedisLeases; limits: RedisLimits },
    knownStore: KnownStore,
  ) {
    this.#knownStore = knownStore;
    const { leases, limits } = redis;
    this.#config = config;
    this.#runtime = runtime;
    this.#metrics = runtime.metrics ?? createMetrics({ ofProcess: true });
    this.#leases = leases;
    this.#limits = limits;
    const { shards } = config;
    this.#claimant = new ShardClaimant({
      ...runtime,
      leases,
      wanted: shards === "auto" ? "auto" : blocksOf(shards),
      recommendedCount: () => this.#recommendedCount(),
    });
    this.#showLease();
  }

  get marshal(): Marshal {
    const member = this;
    return {
      start: async () => {
        this.#serving = this.#serve();
        // `ended` says why nothing can go on.
        this.#serving.catch(() => undefined);
      },
      drop: async () => undefined,
      ended: this.#ended.promise,
      get steps() {
        return member.#steps();
      },
      ops: {
        metrics: this.#metrics,
        conceal: (text) => this.#runtime.log.conceal(text),
        hasStarted: () => this.#isIntroduced,
        notReady: () => this.#notReady(),
        notes: () => this.#bot?.ops.notes?.() ?? [],
        get state() {
          return { ...member.#bot?.ops.state, cluster: () => member.#state() };
        },
      },
    };
  }

  async #serve(): Promise<void> {
    const { signal } = this.#stopping;
    let block: ShardBlock | undefined;
    try {
      await this.#introduce();
      this.#isIntroduced = true;
      for (;;) {
        this.#lease = await this.#claimant.claim(signal, block, () => this.#leaveDiscord());
        block = this.#lease.lease.block;
        await this.#live(this.#lease);
        if (signal.aborted) return;
        this.#lease = undefined;
        // A process that held all shards of a count asks anew how many there are, once another process had them.
        if (this.#gateway === undefined && this.#config.shards === "auto") block = undefined;
      }
    } catch (error) {
      if (signal.aborted) return;
      const { log } = this.#runtime;
      const expected = error instanceof Error && ["StoreError", "LoginError"].includes(error.name);
      if (!expected) log.error({ err: error }, "Marshal could not start");
      this.#ended.resolve(expected && error instanceof Error ? error.message : "Marshal could not start");
    }
  }

  /** From a lease to its end. Rejects when the bot cannot start for a reason that the lease has nothing to do with. */
  async #live(lease: HeldLease): Promise<void> {
    const { over, lease: id } = lease;
    const { log, clock, random } = this.#runtime;
    const gateway = this.#gatewayFor(id.block);
    let bot: Marshal | undefined;
    try {
      bot = await buildMarshal(this.#config, {
        log: leaseBoundLog(log, over),
        clock: leaseBoundClock(clock, over),
        random,
        leased: {
          permit: lease,
          fence: {
            key: fenceKeyOf(id.block),
            token: id.token,
            generation: id.generation,
            onRefused: () => lease.onFenceRefused(),
          },
          gateway,
          shards: id.block,
          blocks: blocksBeside(id.block),
          limitsOf: this.#limits.limitsOf(id.token),
          clock,
          metrics: this.#metrics,
          knownStore: this.#knownStore,
          isStoreInDoubt: lease.isStoreInDoubt,
          isOlderCopy: lease.isOlderCopy,
          settle: () => lease.settle(),
        },
      });
      this.#bot = bot;
      await Promise.race([bot.start(), lease.ended]);
      void bot.ended.then((reason) => this.#ended.resolve(reason));
    } catch (error) {
      // With the lease gone, or Redis away, no start can succeed: it is tried again with the next lease.
      const isOurs = !over.aborted && (await lease.isReachable());
      if (isOurs || error instanceof LoginError) throw error;
      log.warn({ err: error }, "the start stopped: Redis does not answer");
    }
    const why = await lease.ended;
    if (this.#stopping.signal.aborted) return;
    if (why === "taken") this.#leaveDiscord();
    await bot?.drop().catch((err: unknown) => log.warn({ err }, "could not close a bot whose lease is over"));
    // The next lease may take long to be served: a stop or a look before that must not meet this one.
    if (this.#bot === bot) this.#bot = undefined;
    // What it counted, communities and what waits, is counted by whoever serves them now.
    this.#metrics.withdrawGauges();
    this.#showLease();
  }

  #showLease(): void {
    const held = () => (this.#lease?.over.aborted === false ? this.#lease.lease.block : undefined);
    const gauges = {
      marshal_lease_held: [
        "1 while this process serves shards, 0 while it stands by.",
        () => (held() ? 1 : 0),
      ],
      marshal_shards_held: ["Shards that this process serves.", () => held()?.ids.length ?? 0],
      marshal_shards: ["Shards of the bot, as who serves some knows; else 0.", () => held()?.count ?? 0],
    } as const;
    for (const [name, [help, read]] of Object.entries(gauges)) this.#metrics.gauge(name, help, read);
  }

  /** The connection that is there already, if it is of these shards. */
  #gatewayFor(block: ShardBlock): Gateway {
    const kept = this.#gateway;
    if (kept !== undefined && nameOf(kept.block) === nameOf(block)) return kept.gateway;
    this.#leaveDiscord();
    const { discordToken: token, discordApiUrl: apiUrl } = this.#config;
    const { clock, log } = this.#runtime;
    const { takeIdentify: take, extendIdentify: extend } = this.#limits;
    const waitForIdentify = identifyTurns({ take, extend, clock, log });
    const crowd = { blocks: blocksBeside(block), waitForIdentify };
    const gateway = createGateway({ clock, log, token, apiUrl, shards: block, crowd });
    this.#gateway = { gateway, block };
    return gateway;
  }

  /** Another process answers people by now. */
  #leaveDiscord(): void {
    const left = this.#gateway;
    this.#gateway = undefined;
    this.#bot = undefined;
    void left?.gateway
      .close()
      .catch((err: unknown) => this.#runtime.log.warn({ err }, "Discord could not be left"));
  }

  /**
   * Asks Discord once, before this process says that it stands by: a wrong token would stop it at the takeover only. Where
   * Discord is away it is asked again later, since a process that serves finds that out by itself. Rejects with LoginError.
   */
  async #introduce(): Promise<void> {
    const { clock, log } = this.#runtime;
    try {
      await this.#recommendedCount();
    } catch (error) {
      if (error instanceof LoginError) throw error;
      log.warn({ err: error }, "Discord cannot be reached; DISCORD_TOKEN is not checked yet");
      const { signal } = this.#stopping;
      void clock.sleep(INTRODUCE_AGAIN_MS, signal).then(
        () => this.#introduce().catch(() => undefined),
        () => undefined,
      );
    }
  }

  async #recommendedCount(): Promise<number> {
    const { discordToken, discordApiUrl } = this.#config;
    try {
      return await recommendedShards(discordToken, discordApiUrl);
    } catch (error) {
      if (error instanceof LoginError) this.#ended.resolve(error.message);
      throw error;
    }
  }

  async #notReady(): Promise<readonly string[]> {
    if (this.#lease === undefined) return [this.#claimant.words];
    const refusal = this.#lease.refusal();
    if (refusal !== undefined) return [refusal];
    const ofBot = (await this.#bot?.ops.notReady()) ?? ["starting"];
    return this.#knownStore.isNew ? [STORE_IS_NEW, ...ofBot] : ofBot;
  }

  #state(): object {
    const lease = this.#lease?.lease;
    if (lease === undefined) return { holds: null, standing: this.#claimant.words };
    return { holds: nameOf(lease.block), generation: lease.generation };
  }

  #steps(): Marshal["steps"] {
    this.#stopping.abort(new Error("Marshal is stopping"));
    const bot = this.#lease?.over.aborted === false ? (this.#bot?.steps ?? []) : [];
    return [
      ...bot,
      { name: "lease", withinMs: 2_000, run: () => this.#lease?.release() },
      { name: "gateway", withinMs: 2_000, run: () => this.#gateway?.gateway.close() },
      { name: "leases", withinMs: 500, run: () => this.#leases.close() },
      { name: "limits", withinMs: 500, run: () => this.#limits.close() },
    ];
  }
}
