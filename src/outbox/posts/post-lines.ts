import type { OutgoingMessage, PostedMessage } from "../../domain/message.ts";
import type { PostKind, PostLine, Posts } from "../../domain/ports/posts.ts";
import type { Turn, Turns } from "../../domain/ports/turns.ts";
import { inTurn, readAllAfter, turnOf } from "../in-turn.ts";
import type { Doubt } from "./doubt.ts";
import { GuildRoom } from "./guild-room.ts";
import type { LastPosts } from "./last-posts.ts";
import { LookBack, type LookBackPorts } from "./look-back.ts";
import { PostRunner, type PostRunnerPorts } from "./post-runner.ts";
import { Refusals } from "./refusals.ts";

type PostLinesPorts = Omit<PostRunnerPorts, "lookBack" | "mayStand"> &
  LookBackPorts & { readonly turns: Turns; readonly lastPosts: LastPosts };

/** A message that is not where it is wanted; while it waits for its turn nothing else is held of it. */
interface Running {
  readonly kind: Pick<PostKind<unknown>, "name">;
  readonly runner: PostRunner<unknown>;
  /** What goes on now, or has ended in waiting. */
  run: Promise<void>;
}

/** The messages that are to stand somewhere, of every kind: of each one attempt at a time. */
export class PostLines implements Posts {
  readonly #ports: PostRunnerPorts & Pick<PostLinesPorts, "turns">;
  readonly #lastPosts: LastPosts;
  readonly #running = new Map<string, Running>();
  /** Asked for once more while it ran: it may just have ended. */
  readonly #again = new Set<string>();
  /** Of messages that may stand somewhere, and are not wanted any more, or not for a while. */
  readonly #doubts = new Map<string, Doubt>();
  /** Channels of which the last read failed. */
  readonly #readsRefused = new Map<string, Refusals>();
  readonly #room = new GuildRoom();
  readonly #stop = new AbortController();

  constructor({ lastPosts, ...ports }: PostLinesPorts) {
    this.#lastPosts = lastPosts;
    const mayStand = (key: string) => lastPosts.mayStand(key);
    this.#ports = { ...ports, mayStand, lookBack: new LookBack(ports) };
  }

  line<Ref>(kind: PostKind<Ref>): PostLine<Ref> {
    return { show: (ref) => this.#show(kind, ref) };
  }

  nowMs(): number {
    return this.#ports.discordTime.nowMs();
  }

  async tryOnce(channelId: string, message: Omit<OutgoingMessage, "nonce">): Promise<void> {
    const { turns, sink, random } = this.#ports;
    const nonce = random.id().slice(0, 25);
    const turn = await turnOf(turns, { class: "first", channelId, request: "send" });
    await inTurn(turn, () => sink.send(channelId, { ...message, nonce }));
  }

  async readAfter(channelId: string, afterMessageId: string): Promise<readonly PostedMessage[] | undefined> {
    const refusals = this.#readsRefused.get(channelId) ?? new Refusals();
    try {
      const posted = await readAllAfter(this.#ports, { class: "first", channelId }, afterMessageId);
      this.#readsRefused.delete(channelId);
      return posted;
    } catch (error) {
      this.#readsRefused.set(channelId, refusals);
      throw refusals.asPostponed(error);
    }
  }

  /** `tell` hears of each guild of which too many messages wait. */
  tellFullBy(tell: (guildId: string) => void): void {
    this.#room.tellBy(tell);
  }

  /** Messages that are not where they are wanted. */
  get waiting(): number {
    return this.#running.size;
  }

  /** Roles or a channel of this guild have changed: what was refused may pass. */
  permissionsChanged(guildId: string): void {
    for (const { runner } of this.#running.values()) if (runner.guildId === guildId) runner.onMayBeOpen();
  }

  /** Begins nothing more. Nothing is left to the next process, which then reads each message back that may stand. */
  drop(): void {
    this.#stop.abort(new Error("the outbox was dropped"));
  }

  /** Ends after the messages that are on their way, and leaves to the next process which of them are in doubt. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the outbox was stopped"));
    const running = [...this.#running.values()];
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ run }) => run));
    const open = running.flatMap(({ runner }) => (runner.isOpen ? [runner.key] : []));
    await this.#lastPosts.leave([...new Set([...open, ...this.#doubts.keys()])]);
  }

  #show<Ref>(kind: PostKind<Ref>, ref: Ref): void {
    const key = `${kind.name} ${kind.keyOf(ref)}`;
    if (this.#stop.signal.aborted) return;
    if (this.#running.has(key)) {
      this.#again.add(key);
      return;
    }
    const guildId = kind.guildOf(ref);
    const isBounded = kind.isBounded !== true;
    if (isBounded && !this.#room.mayBegin(guildId, key, () => this.#show(kind, ref))) return;
    const doubt = this.#doubts.get(key);
    const runner = new PostRunner(kind, ref, this.#ports, { signal: this.#stop.signal, doubt });
    const post: Running = { kind, runner, run: Promise.resolve() };
    const onOver = () => {
      this.#running.delete(key);
      if (isBounded) this.#room.onEnded(guildId);
      // What an earlier process may have left is asked again anyway; what this one did is known here alone.
      if (runner.doubt.isOpen(false)) this.#doubts.set(key, runner.doubt);
      else this.#doubts.delete(key);
      if (!runner.isOpen) this.#lastPosts.onSettled(key);
      if (this.#again.delete(key)) this.#show(kind, ref);
    };
    this.#running.set(key, post);
    if (isBounded) this.#room.onBegun(guildId);
    this.#goOn(post, onOver);
  }

  #goOn(post: Running, onOver: () => void, given?: () => Turn): void {
    const { signal } = this.#stop;
    post.run = post.runner.run(given).then(
      (wanted) => {
        if (wanted === undefined) return onOver();
        this.#ports.turns.ask(wanted, {
          signal,
          resolve: (turn) => this.#goOn(post, onOver, () => turn),
          reject: (reason) => this.#goOn(post, onOver, () => thrown(reason)),
        });
      },
      (error: unknown) => {
        if (!signal.aborted) this.#ports.report(`${post.kind.name}: a message failed`, error);
        onOver();
      },
    );
  }
}

function thrown(reason: unknown): never {
  throw reason;
}
