import { BackOff } from "../../domain/back-off.ts";
import { SinkRefusal } from "../../domain/failure.ts";
import type { MessageBody } from "../../domain/message.ts";
import type { Clock, Random } from "../../domain/ports/clock.ts";
import type { PostKind, Stands, WantedPost } from "../../domain/ports/posts.ts";
import type { Remover, Sink } from "../../domain/ports/sink.ts";
import type { Turn, TurnWanted } from "../../domain/ports/turns.ts";
import { inTurn } from "../in-turn.ts";
import { ClosedChannel } from "./closed-channel.ts";
import type { DiscordTime } from "./discord-time.ts";
import { Doubt } from "./doubt.ts";
import type { LookBack } from "./look-back.ts";
import { leavesDoubt, Refusals } from "./refusals.ts";
import { type Asked, type InChannel, messageOf, placeOf } from "./wanted-message.ts";

/** Discord limits edits of old messages and does not always say for how long. */
const EDIT_LIMIT_MS = 5 * 60_000;
/** After so many edits that were refused for it a new message takes the place of the old one, where it may. */
const MOST_EDITS_LIMITED = 3;

export interface PostRunnerPorts {
  readonly sink: Sink & Remover;
  readonly lookBack: Pick<LookBack, "find">;
  readonly clock: Clock;
  readonly random: Random;
  /** Resolves with the channel of direct messages with a person. Rejects with SinkRefusal. */
  openDirect(userId: string): Promise<string>;
  possiblyRepeated(body: MessageBody): MessageBody;
  report(what: string, error: unknown): void;
  /** The process before may have left the message with this key somewhere without writing where. */
  mayStand(key: string): boolean;
  readonly discordTime: Pick<DiscordTime, "nowMs">;
}

interface RunnerStart {
  readonly signal: AbortSignal;
  readonly doubt: Doubt | undefined;
}

/** Brings one message to where it is wanted: as often as it is refused for a while, and however long Discord is away. */
export class PostRunner<Ref> {
  readonly #kind: PostKind<Ref>;
  readonly #ref: Ref;
  readonly #ports: PostRunnerPorts;
  readonly #signal: AbortSignal;
  readonly doubt: Doubt;
  readonly #backOff: BackOff;
  /** Channels of direct messages, by the person. */
  readonly #opened = new Map<string, string>();
  readonly #refusals = new Refusals();
  #editsLimited = 0;
  #isInherited = false;
  readonly #channel: ClosedChannel;
  /** What the turn that it waits for is for. */
  #waitsFor: Asked | undefined;

  /** `doubt`: of an attempt of this process before, after which it was not wanted for a while. */
  constructor(kind: PostKind<Ref>, ref: Ref, ports: PostRunnerPorts, from: RunnerStart) {
    this.#kind = kind;
    this.#ref = ref;
    this.#ports = ports;
    this.#signal = from.signal;
    this.doubt = from.doubt ?? new Doubt(ports.clock);
    this.#backOff = new BackOff(ports.clock, ports.random);
    this.#channel = new ClosedChannel(ports.clock);
  }

  get guildId(): string {
    return this.#kind.guildOf(this.#ref);
  }

  get key(): string {
    return `${this.#kind.name} ${this.#kind.keyOf(this.#ref)}`;
  }

  /** It may stand somewhere without its record saying so. */
  get isOpen(): boolean {
    return this.doubt.isOpen(this.#isInherited);
  }

  /** Its channel may take messages again. */
  onMayBeOpen(): void {
    this.#channel.onMayBeOpen();
  }

  /**
   * Resolves with the turn that it needs, to be run again with that (`given` throws where there is none); undefined:
   * nothing more is to be done for now. Rejects with the signal's reason.
   */
  async run(given?: () => Turn): Promise<TurnWanted | undefined> {
    let next = given;
    for (;;) {
      this.#signal.throwIfAborted();
      this.#channel.onAttempt();
      try {
        const outcome = next === undefined ? await this.#begin() : await this.#inTurn(next());
        next = undefined;
        if (outcome === "nothing") return undefined;
        if (outcome === "again") continue;
        if ("class" in outcome) return outcome;
        this.#backOff.reset();
        this.#refusals.reset();
        this.#editsLimited = 0;
        const { everyMs = 0 } = this.#kind;
        if (everyMs > 0) await this.#ports.clock.sleep(everyMs, this.#signal);
        // Its words may be old, so one edit more follows.
        if (outcome.kind !== "found") return undefined;
      } catch (error) {
        next = undefined;
        this.#signal.throwIfAborted();
        if ((await this.#onFailed(error)) === "over") return undefined;
      }
    }
  }

  async #begin(): Promise<"nothing" | "again" | Stands | TurnWanted> {
    const wanted = await this.#kind.wanted(this.#ref);
    if (wanted === undefined) return "nothing";
    const request = this.#requestOf(wanted);
    const place = placeOf(wanted);
    const channelId = wanted.channelId ?? this.#opened.get(place);
    if (request === "read" && wanted.messageId === undefined && channelId !== undefined)
      return await this.#read({ ...wanted, channelId });
    this.#waitsFor = { place, channelId, request };
    const { classes } = this.#kind;
    return {
      class: wanted.messageId === undefined ? classes.post : classes.edit,
      channelId: channelId ?? place,
      guildId: this.guildId,
      request,
      isInDoubt: this.doubt.isUnanswered,
      isMinor: () => this.#kind.isMinor?.(this.#ref) === true,
    };
  }

  /** What it says is decided now: it may have waited for hours. */
  async #inTurn(turn: Turn): Promise<"nothing" | "again" | Stands> {
    const wanted = await this.#wantedIn(turn);
    const asked = this.#waitsFor;
    const isAsked =
      wanted !== undefined &&
      asked !== undefined &&
      placeOf(wanted) === asked.place &&
      this.#requestOf(wanted) === asked.request;
    if (!isAsked) {
      turn.done("unused");
      return wanted === undefined ? "nothing" : "again";
    }
    const { place, channelId } = asked;
    if (channelId !== undefined) return await this.#perform({ ...wanted, channelId }, turn);
    this.#opened.set(place, await inTurn(turn, () => this.#ports.openDirect(wanted.directTo ?? "")));
    return "again";
  }

  async #wantedIn(turn: Turn): Promise<WantedPost | undefined> {
    try {
      return await this.#kind.wanted(this.#ref);
    } catch (error) {
      turn.done("unused");
      throw error;
    }
  }

  #requestOf(wanted: WantedPost): TurnWanted["request"] {
    const { messageId, isDoubtful, isToBeRead } = wanted;
    if (messageId !== undefined) return isToBeRead === true ? "read" : "edit";
    this.#isInherited =
      isDoubtful === "whatever-the-end" || (isDoubtful === true && this.#ports.mayStand(this.key));
    return this.doubt.mustRead(this.#isInherited) ? "read" : "send";
  }

  async #perform(wanted: InChannel, turn: Turn): Promise<"again" | Stands> {
    const { sink } = this.#ports;
    const { channelId, messageId, isMarked = false, isToGo = false } = wanted;
    if (messageId !== undefined && isToGo) {
      await inTurn(turn, () => sink.remove(channelId, messageId));
      return await this.#noted({ kind: "removed", messageId, isMarked });
    }
    if (messageId !== undefined && wanted.isToBeRead === true)
      return await this.#see(channelId, messageId, turn);
    if (messageId !== undefined) {
      const body = isMarked ? this.#ports.possiblyRepeated(wanted.body) : wanted.body;
      await this.#asked(() => inTurn(turn, () => sink.edit(channelId, messageId, body)));
      this.doubt.settle();
      return await this.#noted({ kind: "edited", messageId, isMarked });
    }

    const isRepeat = this.doubt.mustMark || isMarked;
    const said = isRepeat ? this.#ports.possiblyRepeated(wanted.body) : wanted.body;
    const message = messageOf(wanted, said);
    const sent = await this.#asked(() => inTurn(turn, () => sink.send(channelId, message)));
    // Discord answers a nonce that it knows with the old message: of the first attempt, or of a later one.
    const kind = this.doubt.mayBeOlder ? "found" : "posted";
    this.doubt.settle();
    return await this.#noted({ kind, messageId: sent.messageId, isMarked: isRepeat });
  }

  async #see(channelId: string, messageId: string, turn: Turn): Promise<"again"> {
    const before = (BigInt(messageId) - 1n).toString();
    const read = () => this.#ports.sink.readBack(channelId, before, 1);
    const posted = await inTurn(turn, read).catch((error: unknown) => {
      if (error instanceof SinkRefusal && error.reason === "no-history") return [];
      throw error;
    });
    await this.#kind.onSeen?.(
      this.#ref,
      posted.find((one) => one.messageId === messageId),
    );
    return "again";
  }

  async #read(wanted: InChannel): Promise<"nothing" | "again" | Stands> {
    const { channelId } = wanted;
    // Who wrote a time that is still to come had a wrong clock.
    const isKnown = (wanted.sinceMs ?? Number.POSITIVE_INFINITY) <= this.#ports.discordTime.nowMs();
    const sinceMs = isKnown ? wanted.sinceMs : undefined;
    const found = await this.#asked(() =>
      this.#ports.lookBack.find({
        channelId,
        guildId: this.guildId,
        sinceMs,
        class: this.#kind.classes.post,
        isInDoubt: this.doubt.isUnanswered,
        isIt: (posted) => this.#kind.isIt(this.#ref, posted),
        onRead: (standing) => this.#kind.onLooked?.(this.#ref, standing),
      }),
    );
    this.doubt.onRead(found.kind, { isInherited: this.#isInherited, sinceMs });
    if (found.kind !== "found") return "again";
    // It may have waited long for the read, and may be wanted again later.
    if ((await this.#kind.wanted(this.#ref)) === undefined) {
      this.doubt.onUnwritten();
      return "nothing";
    }
    this.doubt.settle();
    const { messageId, isMarked } = found;
    return await this.#noted({ kind: "found", messageId, isMarked });
  }

  /** An attempt without an answer leaves a doubt. */
  async #asked<T>(request: () => Promise<T>): Promise<T> {
    const startedMs = this.#ports.clock.monotonicMs();
    try {
      return await request();
    } catch (error) {
      if (leavesDoubt(error)) this.doubt.onUnanswered(startedMs);
      throw error;
    }
  }

  async #noted(stands: Stands): Promise<Stands> {
    try {
      await this.#kind.onStands(this.#ref, stands);
    } catch (error) {
      if (stands.kind === "posted" || stands.kind === "found") this.doubt.onUnwritten();
      throw error;
    }
    return stands;
  }

  async #onFailed(error: unknown): Promise<"over" | "again"> {
    if (error instanceof SinkRefusal && error.reason === "edit-limit") {
      await this.#onEditLimited(error.retryAfterMs ?? 0);
      return "again";
    }
    const passing = this.#refusals.mayPass(error);
    if (passing === undefined && error instanceof SinkRefusal) return await this.#onRefused(error);
    // Where nothing was asked yet nothing has failed, as before the login.
    if (!(error instanceof SinkRefusal && error.request === "none"))
      this.#ports.report(`${this.#kind.name}: an attempt failed; it is tried again`, error);
    await this.#backOff.wait(this.#signal, passing?.atLeastMs);
    return "again";
  }

  async #onEditLimited(retryAfterMs: number): Promise<void> {
    this.#editsLimited += 1;
    await this.#ports.clock.sleep(Math.max(EDIT_LIMIT_MS, retryAfterMs), this.#signal);
    if (this.#editsLimited < MOST_EDITS_LIMITED || this.#kind.replace === undefined) return;
    await this.#kind.replace(this.#ref);
    this.#editsLimited = 0;
  }

  async #onRefused(refusal: SinkRefusal): Promise<"over" | "again"> {
    try {
      if ((await this.#kind.onRefused(this.#ref, refusal)) === "over") return "over";
    } catch (error) {
      // What it decided is not written, so it is asked once more.
      this.#ports.report(`${this.#kind.name}: a refusal could not be noted`, error);
      await this.#backOff.wait(this.#signal);
      return "again";
    }
    await this.#channel.untilOpen(this.#signal);
    return "again";
  }
}
