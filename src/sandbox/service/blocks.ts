import { bump, type ServiceCounts } from "./counts.ts";
import type { LimitSettings } from "./limits.ts";

/** Whom the service counts: an address, with the application's global key or without. */
export interface Identity {
  readonly address: string;
  readonly application: string | undefined;
}

/** The name of an identity in the counts. */
export function identityName(identity: Identity): string {
  return identity.application === undefined
    ? identity.address
    : `${identity.address}+${identity.application}`;
}

interface Wait {
  fromMs: number;
  readonly untilMs: number;
}

interface Standing {
  waits: Wait[];
  /** When requests came that should not have come. */
  strikesMs: number[];
  blockedUntilMs: number;
  requestsInBlock: number;
}

interface AddressStanding {
  badKeysMs: number[];
  pageUntilMs: number;
}

/** What happens to callers who go on: the waits they were told, the invalid-request block, the block page, the ban. */
export class Blocks {
  readonly #limits: LimitSettings;
  readonly #counts: ServiceCounts;
  readonly #standings = new Map<string, Standing>();
  readonly #addresses = new Map<string, AddressStanding>();

  constructor(limits: LimitSettings, counts: ServiceCounts) {
    this.#limits = limits;
    this.#counts = counts;
  }

  /** Whether this address sees the page of the network level (spec: Errors 3, Authentication 5). */
  pageFor(address: string, nowMs: number): boolean {
    return (this.#addresses.get(address)?.pageUntilMs ?? 0) > nowMs;
  }

  /**
   * Notes an arrival: avoidable when its identity had been told to wait, on whatever route (spec: Limits 5). Enough of
   * those bring the invalid-request block (Limits 6), going on inside that the page (Errors 3).
   */
  arrival(identity: Identity, sentAtMs: number, nowMs: number): void {
    const standing = this.#standings.get(identityName(identity));
    if (!standing) return;
    standing.waits = standing.waits.filter((wait) => wait.untilMs > sentAtMs);
    if (!standing.waits.some((wait) => wait.fromMs <= sentAtMs)) return;
    this.#counts.avoidable += 1;
    bump(this.#counts.avoidableByIdentity, identityName(identity));
    if (standing.blockedUntilMs > nowMs) {
      standing.requestsInBlock += 1;
      if (standing.requestsInBlock >= this.#limits.pageAfter) this.showPage(identity.address, nowMs);
      return;
    }
    standing.strikesMs = standing.strikesMs.filter((atMs) => nowMs - atMs < this.#limits.strikeWindowMs);
    standing.strikesMs.push(nowMs);
    if (standing.strikesMs.length >= this.#limits.blockAfter) this.block(identity, nowMs);
  }

  /** Until when this identity is under an invalid-request block, if it is. */
  blockedUntilMs(identity: Identity, nowMs: number): number | undefined {
    const untilMs = this.#standings.get(identityName(identity))?.blockedUntilMs ?? 0;
    return untilMs > nowMs ? untilMs : undefined;
  }

  /** Notes that an identity was told, or will have been told at `fromMs`, to wait. */
  told(identity: Identity, fromMs: number, untilMs: number): void {
    const { waits } = this.#standing(identity);
    // A burst is told the same end many times: the earliest telling counts.
    const same = waits.find((wait) => wait.untilMs === untilMs);
    if (!same) waits.push({ fromMs, untilMs });
    else same.fromMs = Math.min(same.fromMs, fromMs);
  }

  /** Begins an invalid-request block. */
  block(identity: Identity, nowMs: number, forMs = this.#limits.blockMs): void {
    const standing = this.#standing(identity);
    standing.blockedUntilMs = nowMs + forMs;
    standing.requestsInBlock = 0;
    standing.strikesMs = [];
    this.#counts.blocks += 1;
  }

  /** Shows the block page to an address. */
  showPage(address: string, nowMs: number, forMs = this.#limits.pageMs): void {
    this.#address(address).pageUntilMs = nowMs + forMs;
    this.#counts.pages += 1;
  }

  /** Notes a request with an invalid key; enough of them ban the address (spec: Authentication 5). */
  badKey(address: string, nowMs: number): void {
    const standing = this.#address(address);
    standing.badKeysMs = standing.badKeysMs.filter((atMs) => nowMs - atMs < this.#limits.badKeyWindowMs);
    standing.badKeysMs.push(nowMs);
    if (standing.badKeysMs.length < this.#limits.banAfter) return;
    standing.badKeysMs = [];
    standing.pageUntilMs = nowMs + this.#limits.banMs;
    this.#counts.bans += 1;
  }

  /** Forgives everyone everything. */
  clear(): void {
    this.#standings.clear();
    this.#addresses.clear();
  }

  #standing(identity: Identity): Standing {
    const name = identityName(identity);
    let standing = this.#standings.get(name);
    if (!standing) {
      standing = { waits: [], strikesMs: [], blockedUntilMs: 0, requestsInBlock: 0 };
      this.#standings.set(name, standing);
    }
    return standing;
  }

  #address(address: string): AddressStanding {
    let standing = this.#addresses.get(address);
    if (!standing) {
      standing = { badKeysMs: [], pageUntilMs: 0 };
      this.#addresses.set(address, standing);
    }
    return standing;
  }
}
