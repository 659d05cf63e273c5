import { createHash } from "node:crypto";
import { blockPage, ERRORS, type ErrorStyle, failure, json, page } from "./answers.ts";
import { KeyBook } from "./auth.ts";
import { Blocks, type Identity } from "./blocks.ts";
import { answerCommand, COMMAND_CHECKS, type CommandCheck } from "./command-route.ts";
import { bump, ServiceCounts } from "./counts.ts";
import { ErrorWaits } from "./error-waits.ts";
import { dateAt, defaultFaults, type Fate, FaultPlan, type FaultSettings, forcedStatus } from "./faults.ts";
import { echoKey } from "./key-echo.ts";
import { defaultLimits, type LimitSettings } from "./limits.ts";
import { Prng, seedOf } from "./prng.ts";
import { ServedSnapshots } from "./snapshots.ts";
import { baseFields, statusV2 } from "./status.ts";
import { type Bucket, Throttle } from "./throttle.ts";
import { Town, type TownOptions } from "./town/town.ts";
import { headerOf, isCommandPath, pathOf, type ServiceRequest, type ServiceResponse } from "./wire.ts";

export type { FaultPlan, LimitSettings, ServiceRequest, ServiceResponse, Town };

/** How to make a service. Everything but the clock has a default. */
export interface ServiceOptions {
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly seed?: number;
  readonly keys?: readonly string[];
  /** Global API keys that were issued to applications. */
  readonly globalKeys?: readonly string[];
  /** Drops the facts that the specification does not hold. */
  readonly strictSpec?: boolean;
  /** Whether owners let this caller run commands from the start; `keyBook.setCommandsAllowed` changes it. @default "allowed" */
  readonly commands?: "allowed" | "refused";
  /** The order in which a command is refused; all three, each once. @default permission, body, players */
  readonly commandChecks?: readonly CommandCheck[];
  readonly limits?: Partial<LimitSettings>;
  readonly faults?: Partial<FaultSettings>;
  /** For every town that has no options of its own in `towns`, which is by key. */
  readonly town?: TownOptions;
  readonly towns?: Readonly<Record<string, TownOptions>>;
  /** How many served bodies a key keeps for the fault `stale`; default 4. */
  readonly keepSnapshots?: number;
}

interface Call {
  readonly request: ServiceRequest;
  readonly fate: Fate;
  readonly nowMs: number;
  readonly key: string | undefined;
  readonly identity: Identity;
  /** An `Authorization` header that holds no key that was issued. */
  readonly badApplication: boolean;
  readonly isCommand: boolean;
  readonly style: ErrorStyle;
}

/** The whole service without sockets. The same options, times and requests give the same answers. */
export class Service {
  readonly counts = new ServiceCounts();
  readonly faults: FaultPlan;
  /** Changes take effect with the next request. */
  readonly limits: LimitSettings;
  /** The keys and what their owners decided: `setBanned`, `setCommandsAllowed`. */
  readonly keyBook: KeyBook;
  /** Blocks, pages and bans, which may be begun and lifted by hand. */
  readonly blocks: Blocks;
  readonly #options: ServiceOptions;
  readonly #strictSpec: boolean;
  readonly #seed: number;
  readonly #towns = new Map<string, Town>();
  readonly #throttle: Throttle;
  readonly #snapshots: ServedSnapshots;
  readonly #errorWaits = new ErrorWaits(this.counts);
  readonly #ids: Prng;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#strictSpec = options.strictSpec ?? false;
    this.#seed = options.seed ?? 1;
    this.limits = { ...defaultLimits(this.#strictSpec), ...options.limits };
    this.faults = new FaultPlan(
      defaultFaults(this.#strictSpec),
      options.faults ?? {},
      seedOf(this.#seed, "faults"),
    );
    this.blocks = new Blocks(this.limits, this.counts);
    this.keyBook = new KeyBook([], options.globalKeys ?? [], seedOf(this.#seed, "keys"));
    this.#throttle = new Throttle(this.limits, this.#strictSpec, new Prng(seedOf(this.#seed, "throttle")));
    this.#snapshots = new ServedSnapshots(options.keepSnapshots ?? 4);
    this.#ids = new Prng(seedOf(this.#seed, "ids"));
    for (const key of options.keys ?? []) this.addServer(key);
  }

  /** Answers one request. `fate` is drawn here unless the caller, who must carry out its transport part, drew it. */
  handle(request: ServiceRequest, fate: Fate = this.drawFate(request)): ServiceResponse {
    const call = this.#open(request, fate);
    this.counts.requests += 1;
    if (call.isCommand) this.counts.commands += 1;
    if (call.key !== undefined) bump(this.counts.byKey, call.key);
    const told = this.#errorWaits.tell(call, this.#answer(call));
    const answered = echoKey(told, call.key ?? "", fate.settings.echoKey);
    const headers: Record<string, string> = { date: dateAt(fate, call.nowMs), ...answered.headers };
    if (fate.noRateLimitHeaders)
      for (const name of Object.keys(headers)) if (name.startsWith("x-ratelimit-")) delete headers[name];
    if (answered.status === 429) this.counts.answers429 += 1;
    bump(this.counts.byStatus, answered.status);
    return { status: answered.status, headers, body: answered.body };
  }

  /** The service's clock, epoch milliseconds. */
  nowMs(): number {
    return this.#options.nowMs();
  }

  /** What the faults in force will do to a request. */
  drawFate(request: ServiceRequest): Fate {
    return this.faults.draw({
      command: isCommandPath(request.method, request.path),
      key: headerOf(request, "server-key"),
    });
  }

  /** The world behind a key, brought to the present. */
  town(key: string): Town {
    const town = this.#towns.get(key);
    if (!town) throw new RangeError("no town has this key");
    town.advanceTo(this.#options.nowMs());
    return town;
  }

  /** The keys that have a town. */
  get keys(): readonly string[] {
    return this.keyBook.keys;
  }

  /** Opens a server with this key. Its town depends on the service's seed and the key. */
  addServer(key: string, townOptions?: TownOptions): Town {
    if (this.#towns.has(key)) throw new RangeError("this key has a town already");
    const given = townOptions ?? this.#options.towns?.[key] ?? this.#options.town ?? {};
    const town = new Town(seedOf(this.#seed, key), this.#options.nowMs, given);
    this.#towns.set(key, town);
    this.keyBook.add(key);
    if (this.#options.commands === "refused") this.keyBook.setCommandsAllowed(key, false);
    return town;
  }

  /** The owner makes a new key, which is returned: the old one answers 403 from now on (spec: Authentication 4). */
  regenerateKey(oldKey: string): string {
    const town = this.town(oldKey);
    const fresh = this.keyBook.regenerate(oldKey);
    this.#towns.delete(oldKey);
    this.#towns.set(fresh, town);
    const own = this.limits.perServer[oldKey];
    if (own) this.limits.perServer[fresh] = own;
    return fresh;
  }

  /** Lifts every block, page and ban and forgets what was spent. */
  forgive(): void {
    this.blocks.clear();
    this.#throttle.clear();
  }

  /** Brings every town to the present. */
  advance(): void {
    for (const key of this.#towns.keys()) this.town(key);
  }

  #open(request: ServiceRequest, fate: Fate): Call {
    const authorization = headerOf(request, "authorization");
    const application = authorization === undefined ? undefined : this.keyBook.application(authorization);
    return {
      request,
      fate,
      nowMs: this.#options.nowMs(),
      key: headerOf(request, "server-key"),
      identity: { address: request.address ?? "127.0.0.1", application },
      badApplication: authorization !== undefined && application === undefined,
      isCommand: isCommandPath(request.method, request.path),
      style: { strictSpec: this.#strictSpec, envelope: fate.settings.envelope },
    };
  }

  /** The outer gates, from the network inwards: page, block, limit. */
  #answer(call: Call): ServiceResponse {
    const { identity, nowMs, fate } = call;
    if (!this.blocks.pageFor(identity.address, nowMs))
      this.blocks.arrival(identity, call.request.sentAtMs ?? nowMs, nowMs);
    if (this.blocks.pageFor(identity.address, nowMs)) {
      this.counts.pageAnswers += 1;
      return blockPage(fate.settings.blockPage);
    }
    const blockedUntilMs = this.blocks.blockedUntilMs(identity, nowMs);
    if (blockedUntilMs !== undefined) return this.#blocked(call, blockedUntilMs);
    if (fate.html) return page(fate.settings.htmlStatus, "Bad gateway", "The origin server did not answer.");
    if (fate.tooMany) return this.#tooMany(call, fate.settings.tooManyRetryAfterMs);
    const general = this.#throttle.general(identity, call.key, call.request.method === "GET", nowMs);
    if (!general.spent.allowed) return this.#tooMany(call, general.spent.resetMs - nowMs, general);
    return this.#inside(call, general);
  }

  /** Behind the general limit: route, authentication, the command bucket, the work itself. */
  #inside(call: Call, general: Bucket): ServiceResponse {
    const path = pathOf(call.request.path);
    const isStatus = call.request.method === "GET" && (path === "/v1/server" || path === "/v2/server");
    if (!isStatus && !call.isCommand)
      return this.#limited(failure(0, call.style, { status: 404, message: "Not found." }), general);
    const refused = this.#refusal(call);
    if (refused) return this.#limited(refused, general);
    const key = call.key ?? "";
    const bucket = call.isCommand ? this.#throttle.command(call.identity, key, call.nowMs) : general;
    if (!bucket.spent.allowed) return this.#tooMany(call, bucket.spent.resetMs - call.nowMs, bucket);
    return this.#limited(call.isCommand ? this.#command(call, key) : this.#status(call, key, path), bucket);
  }

  /** Why this caller gets a 403, if so (spec: Authentication, Errors). */
  #refusal(call: Call): ServiceResponse | undefined {
    if (call.badApplication) return failure(2003, call.style);
    const known = this.keyBook.verdict(call.key);
    const verdict = known === "good" && call.fate.refuseKey ? 2002 : known;
    if (verdict === "good") return undefined;
    if ((verdict === 2001 || verdict === 2002) && call.key !== undefined) {
      bump(this.counts.badKeyRequests, call.key);
      bump(this.counts.badKeyByAddress, call.identity.address);
      this.counts.badKeysAtMs.push(call.nowMs);
      this.blocks.badKey(call.identity.address, call.nowMs);
    }
    const isBare = call.fate.refuseKey && call.fate.settings.refusal === "bare";
    if (!isBare) return failure(verdict, call.style);
    return json(403, { message: "Your IP address has been banned." });
  }

  #command(call: Call, key: string): ServiceResponse {
    const commandId = this.#commandId();
    const { code } = call.fate;
    if (code !== undefined) {
      const isServerSide = (ERRORS[code]?.status ?? 500) >= 500;
      const id = isServerSide || code === 3002 ? { commandId } : {};
      return failure(code, call.style, { ...id, ...forcedStatus(call.fate) });
    }
    return answerCommand({
      request: call.request,
      key,
      town: this.town(key),
      fate: call.fate,
      style: call.style,
      counts: this.counts,
      commandId,
      nowMs: call.nowMs,
      isPermitted: this.keyBook.commandsAllowed(key),
      checks: this.#options.commandChecks ?? COMMAND_CHECKS,
    });
  }

  #status(call: Call, key: string, path: string): ServiceResponse {
    const { fate, request } = call;
    if (fate.code !== undefined) return failure(fate.code, call.style, forcedStatus(fate));
    const old = fate.stale ? this.#snapshots.older(key, request.path, fate.random) : undefined;
    const body = (old ?? this.#freshStatus(call, key, path)).padEnd(fate.padToBytes);
    if (this.#strictSpec) return { ...json(200, null), body };
    // Sent, never honoured: the public service answers no 304.
    const etag = `W/"${createHash("sha1").update(body).digest("base64url")}"`;
    return { status: 200, headers: { ...json(200, null).headers, etag }, body };
  }

  #freshStatus(call: Call, key: string, path: string): string {
    const { world } = this.town(key);
    const view = { strictSpec: this.#strictSpec, fate: call.fate };
    const mark = call.request.path.indexOf("?");
    const query = new URLSearchParams(mark < 0 ? "" : call.request.path.slice(mark + 1));
    const body = JSON.stringify(
      path === "/v1/server" ? baseFields(world, view) : statusV2(world, view, query),
    );
    this.#snapshots.add(key, call.request.path, body);
    return body;
  }

  /** The invalid-request block: 429 on everything, with words and the time it lifts (spec: Errors 2). */
  #blocked(call: Call, untilMs: number): ServiceResponse {
    const lifts = new Date(untilMs).toISOString();
    const message = `You are temporarily blocked because of too many invalid requests. The block lifts at ${lifts}.`;
    return this.#tooMany(call, untilMs - call.nowMs, undefined, message);
  }

  #tooMany(call: Call, waitMs: number, bucket?: Bucket, message?: string): ServiceResponse {
    const { retryAfter } = call.fate.settings;
    const { response, boundMs } = this.#throttle.tooMany(waitMs, call.style, retryAfter, message);
    this.blocks.told(call.identity, call.request.readableAtMs ?? call.nowMs, call.nowMs + boundMs);
    return bucket ? this.#limited(response, bucket) : response;
  }

  #limited(response: ServiceResponse, bucket: Bucket): ServiceResponse {
    return { ...response, headers: { ...this.#throttle.headers(bucket), ...response.headers } };
  }

  #commandId(): string {
    const hex = Array.from({ length: 4 }, () =>
      this.#ids.int(0, 0xffff_ffff).toString(16).padStart(8, "0"),
    ).join("");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}
