import type { AlertRule } from "../domain/alert.ts";
import type { WhoToPing } from "../domain/duty-roster.ts";
import type { SinkRefusal, SinkRefusalReason } from "../domain/failure.ts";
import type { AlertRenderer, Whereabouts } from "../domain/ports/alert-renderer.ts";
import type { Clock } from "../domain/ports/clock.ts";
import type { OpenCallCard } from "../domain/ports/mod-calls.ts";
import type { PostLine, Posts, StandingPost, Stands, WantedPost } from "../domain/ports/posts.ts";
import { eventMs, type Incident, isOfBefore } from "./incidents.ts";
import type { ServerState } from "./server-state.ts";

/** Which message is meant. */
export interface MessageRef {
  readonly guildId: string;
  readonly bindingId: string;
  readonly ruleId: string;
  readonly key: string;
}

/** A message as it is wanted now. */
export interface Wanted {
  readonly rule: AlertRule;
  readonly serverName: string;
  readonly incident: Incident;
  /** Of those whom it tells of. */
  readonly whereabouts: Whereabouts;
  /** Of an alert about moderator calls: the cards that show open calls of its server. */
  readonly callCards: readonly OpenCallCard[];
  /** Where people were then is recorded. */
  readonly hasReplay: boolean;
  /** It is posted in quiet hours, or was: they may have begun while it waited. */
  readonly isQuiet: boolean;
}

type Shown = Partial<
  Pick<
    Incident,
    "messageId" | "isMarked" | "shown" | "postedAtMs" | "isGone" | "pingedUserIds" | "isWithoutWords"
  >
>;

export interface AlertPostsPorts {
  readonly posts: Posts;
  readonly renderer: AlertRenderer;
  readonly clock: Clock;
  readonly whoToPing: WhoToPing;
  /** Undefined: the alert was removed, or nothing is kept of it any more. */
  find(ref: MessageRef): Promise<Wanted | undefined>;
  /** Notes what stands in the channel now. Answers whether it is written; never rejects. */
  note(ref: MessageRef, shown: Shown): Promise<boolean>;
  /**
   * Takes out of a message the matters that have messages of their own in the channel, by the keys of those. Answers which
   * they are, and whether it is written; never rejects.
   */
  takeOut(
    ref: MessageRef,
    standing: ReadonlyMap<string, Shown>,
  ): Promise<{ readonly own: readonly MessageRef[]; readonly isNoted: boolean }>;
  /** Notes what its message says now. Not written for that alone: after a restart one edit more is harmless. */
  noteEdit(ref: MessageRef, version: number): void;
  /** Discord took a message of the alert, or refused one. */
  onOutcome(rule: AlertRule, refused: SinkRefusalReason | undefined): Promise<void>;
}

/** A message is edited at most once in this time while the matter goes on. */
const EDIT_EVERY_MS = 5_000;
/** What its channel refused for this long is no alert any more. */
const GIVEN_UP_AFTER_MS = 60 * 60_000;
/** A message that comes this long after its matter was read says so. */
const LATE_AFTER_MS = 10 * 60_000;
/** A ping is of no use any more after this time. */
const PING_OF_USE_MS = 6 * 60 * 60_000;

/** The messages of alerts: each is posted once, then edited until it says all there is to say. */
export class AlertPosts {
  readonly #ports: AlertPostsPorts;
  readonly #startedMs: number;
  readonly #line: PostLine<MessageRef>;
  /** What is being shown, by message: more may be known when it stands. */
  readonly #versions = new Map<string, number>();
  /** Whom a new message is about to ping. */
  readonly #pinged = new Map<string, readonly string[]>();
  /** An earlier process may have posted it, or nobody could write that it stands. */
  readonly #doubtful = new Set<string>();
  /** Posted by this process, which could not write that. */
  readonly #unnoted = new Set<string>();

  constructor(ports: AlertPostsPorts) {
    this.#ports = ports;
    this.#startedMs = ports.clock.nowMs();
    this.#line = ports.posts.line<MessageRef>({
      name: "the message of an alert",
      classes: { post: "first", edit: "change" },
      everyMs: EDIT_EVERY_MS,
      keyOf: ({ bindingId, ruleId, key }) => `${bindingId} ${ruleId} ${key}`,
      guildOf: ({ guildId }) => guildId,
      wanted: (ref) => this.#wanted(ref),
      isIt: ({ key }, posted) => ports.renderer.keyOf(posted) === key,
      onLooked: (ref, standing) => this.#onLooked(ref, standing),
      onStands: (ref, stands) => this.#onStands(ref, stands),
      onRefused: (ref, refusal) => this.#onRefused(ref, refusal),
    });
  }

  /** Its message is to say what is known now. `isDoubtful`: it may stand in the channel although nobody noted it. */
  show(ref: MessageRef, isDoubtful = false): void {
    if (isDoubtful) this.#doubtful.add(ref.key);
    this.#line.show(ref);
  }

  async #wanted(ref: MessageRef): Promise<WantedPost | undefined> {
    const wanted = await this.#ports.find(ref);
    if (wanted === undefined || isShown(wanted.incident)) {
      this.#versions.delete(ref.key);
      return undefined;
    }
    const { incident, rule, serverName, whereabouts, callCards, hasReplay, isQuiet } = wanted;
    const { key, channelId, moves, messageId, isMarked, openedAtMs, version, entries, more } = incident;
    this.#versions.set(key, version);
    const postedAtMs = messageId === undefined ? this.#ports.clock.nowMs() : incident.postedAtMs;
    const lateMs = (postedAtMs ?? openedAtMs) - openedAtMs;
    const roleId = isQuiet || lateMs > PING_OF_USE_MS ? undefined : incident.roleId;
    const people = roleId === undefined ? [] : await this.#peopleToPing(ref.guildId, incident);
    const pingedRoleId = people.length === 0 ? roleId : undefined;
    return {
      channelId,
      nonce: moves === undefined ? key : `${key}-${moves}`,
      messageId,
      isMarked,
      body: this.#ports.renderer.alert({
        key,
        rule,
        serverName,
        entries,
        more,
        whereabouts,
        callCards,
        hasReplay,
        isLate: incident.isLate,
        postedLateMs: lateMs > LATE_AFTER_MS ? lateMs : undefined,
        pingedRoleId,
        pingedUserIds: people,
        isWithoutWords: incident.isWithoutWords,
      }),
      silent: incident.isSilent || isQuiet,
      pingRoleIds: pingedRoleId === undefined ? undefined : [pingedRoleId],
      pingUserIds: people,
      isDoubtful: this.#isDoubtful(wanted),
      // No row shows when a server became full: its alert may have been posted at any time before.
      sinceMs: isLevel(rule) ? undefined : Math.min(openedAtMs, eventMs(incident)),
    };
  }

  /** Who is on duty when it is posted; an edit says whom it pinged. */
  async #peopleToPing(guildId: string, { key, messageId, pingedUserIds = [] }: Incident) {
    if (messageId !== undefined) return pingedUserIds;
    const people = await this.#ports.whoToPing(guildId);
    this.#pinged.set(key, people);
    return people;
  }

  #isDoubtful({ rule, incident }: Wanted): WantedPost["isDoubtful"] {
    if (this.#unnoted.has(incident.key)) return "whatever-the-end";
    // Messages of that time are looked for before they are posted again.
    return (
      this.#doubtful.has(incident.key) ||
      incident.isShared ||
      isLevel(rule) ||
      isOfBefore(incident, this.#startedMs)
    );
  }

  /** A power cut may have made the store forget that matters were told one by one, which are one message now. */
  async #onLooked(ref: MessageRef, standing: readonly StandingPost[]): Promise<void> {
    const { renderer, find, takeOut } = this.#ports;
    const entries = (await find(ref))?.incident.entries ?? [];
    if (entries.length < 2) return;
    const byKey = new Map<string, Shown>();
    for (const { posted, isMarked } of standing) {
      const { messageId, postedAtMs } = posted;
      const key = renderer.keyOf(posted);
      if (key !== undefined) byKey.set(key, { messageId, postedAtMs, isMarked: isMarked || undefined });
    }
    const { own, isNoted } = await takeOut(ref, byKey);
    for (const one of own) this.#line.show(one);
    // Read again, it would be posted with all of them.
    if (!isNoted) throw new Error("what an alert's channel shows could not be noted");
  }

  async #onStands(ref: MessageRef, { kind, messageId, isMarked }: Stands): Promise<void> {
    const { clock, find, note, noteEdit, onOutcome } = this.#ports;
    const version = this.#versions.get(ref.key) ?? 0;
    if (kind === "edited") {
      noteEdit(ref, version);
      return;
    }
    // A message from before may say less than is known now.
    const shown = kind === "found" ? 0 : version;
    const isNoted = await note(ref, {
      messageId,
      isMarked: isMarked || undefined,
      shown,
      postedAtMs: clock.nowMs(),
      pingedUserIds: kind === "found" ? undefined : this.#pinged.get(ref.key),
    });
    this.#pinged.delete(ref.key);
    // The store may know nothing of it when it is read next.
    if (isNoted) {
      this.#doubtful.delete(ref.key);
      this.#unnoted.delete(ref.key);
    } else this.#unnoted.add(ref.key);
    const wanted = await find(ref);
    if (wanted !== undefined && isInItsChannel(wanted)) await onOutcome(wanted.rule, undefined);
  }

  async #onRefused(ref: MessageRef, { reason }: SinkRefusal): Promise<"over" | "closed"> {
    const { clock, find, note, onOutcome } = this.#ports;
    const wanted = await find(ref);
    if (wanted === undefined) return "over";
    const { rule, incident } = wanted;
    // One player's words must not keep the alert from staff.
    if (reason === "form" && incident.isWithoutWords !== true && hasWords(incident)) {
      if (!(await note(ref, { isWithoutWords: true }))) return "closed";
      this.#line.show(ref);
      return "over";
    }
    const isPosted = incident.messageId !== undefined;
    if (!isPosted && isInItsChannel(wanted)) await onOutcome(rule, reason);
    // A thread that was archived is open again with the next new message in it.
    const mayOpen = reason === "closed" || reason === "no-access";
    const isOfUse = clock.nowMs() - incident.openedAtMs < GIVEN_UP_AFTER_MS;
    if (isPosted ? mayOpen : isOfUse) return "closed";
    await note(ref, { isGone: true });
    return "over";
  }
}

function isShown({ shown, version, isGone }: Incident): boolean {
  return isGone === true || shown >= version;
}

/** What becomes of a message in the channel of before says nothing about the one that it was exchanged for. */
function isInItsChannel({ rule, incident }: Wanted): boolean {
  return incident.channelId === rule.channelId;
}

/** Its message shows what people chose, which may be what Discord refuses. */
function hasWords({ entries }: Incident): boolean {
  return entries.some(({ who, rows }) => who !== undefined || rows.length > 0);
}

function isLevel({ kind }: AlertRule): boolean {
  return kind === "full" || kind === "empty";
}

/** Messages of a server that do not say all there is to say. */
export function unshownIn({ guildId, rules }: ServerState, bindingId: string): MessageRef[] {
  const refs: MessageRef[] = [];
  for (const [ruleId, { incidents }] of rules) {
    for (const incident of incidents) {
      if (!isShown(incident)) refs.push({ guildId, bindingId, ruleId, key: incident.key });
    }
  }
  return refs;
}
