import type { Answer, Ask } from "../protocol.ts";

type Reply = Extract<Answer, { readonly type: "reply" }>;
type Ticketed = Extract<Ask, { readonly ticket: number }>;
/** An ask without its ticket, which the connection gives. */
export type Wish = Ticketed extends infer One ? (One extends Ticketed ? Omit<One, "ticket"> : never) : never;

const firstWaitMs = 300;
const longestWaitMs = 5_000;

interface Handlers {
  /** What to say first, after each connecting: it brings the page up to date again. */
  hello(): Ask;
  heard(answer: Answer): void;
  changed(isOpen: boolean): void;
}

/** The socket to the sandbox; comes back by itself with growing waits, and says hello anew. */
export class Connection {
  readonly #handlers: Handlers;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #socket: WebSocket | undefined;
  #ticket = 0;
  #waitMs = firstWaitMs;

  constructor(handlers: Handlers) {
    this.#handlers = handlers;
  }

  start(): void {
    const socket = new WebSocket(`ws://${location.host}/socket`);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#waitMs = firstWaitMs;
      this.tell(this.#handlers.hello());
      this.#handlers.changed(true);
    });
    socket.addEventListener("message", ({ data }) => this.#heard(String(data)));
    socket.addEventListener("close", () => {
      for (const resolve of [...this.#waiting.values()])
        resolve({ type: "reply", ticket: 0, error: "The sandbox went away before it answered." });
      this.#waiting.clear();
      this.#handlers.changed(false);
      setTimeout(() => this.start(), this.#waitMs);
      this.#waitMs = Math.min(longestWaitMs, this.#waitMs * 2);
    });
  }

  tell(ask: Ask): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(ask));
  }

  /** Resolves with the reply; an error is a part of it, so this never rejects. */
  ask(wish: Wish): Promise<Reply> {
    const ticket = ++this.#ticket;
    if (this.#socket?.readyState !== WebSocket.OPEN)
      return Promise.resolve({ type: "reply", ticket, error: "The sandbox is not running." });
    return new Promise((resolve) => {
      this.#waiting.set(ticket, resolve);
      this.#socket?.send(JSON.stringify({ ...wish, ticket }));
    });
  }

  #heard(data: string): void {
    const answer: Answer = JSON.parse(data);
    if (answer.type !== "reply") {
      this.#handlers.heard(answer);
      return;
    }
    const resolve = this.#waiting.get(answer.ticket);
    this.#waiting.delete(answer.ticket);
    resolve?.(answer);
  }
}
