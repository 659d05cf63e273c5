import { connect, createServer, type Server, type Socket } from "node:net";
import { Transform } from "node:stream";

/** An address that leads to a port, as a proxy or a name that moves gives it; the way can be cut and mended. */
export class TcpWay {
  readonly #portOf: () => number | string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #silent = new WeakSet<Socket>();
  #isCut = false;
  #port = 0;
  /** What has passed so far, in both directions. */
  bytes = 0;
  /** Milliseconds that every piece takes in each direction. @default 0 */
  delayMs = 0;

  private constructor(portOf: () => number | string) {
    this.#portOf = portOf;
    this.#server = createServer((socket) => this.#carry(socket));
  }

  /** `portOf` is asked for each connection: a port, or the path of a socket. */
  static async open(portOf: () => number | string): Promise<TcpWay> {
    const way = new TcpWay(portOf);
    await new Promise<void>((resolve) => way.#server.listen(0, "127.0.0.1", resolve));
    const address = way.#server.address();
    way.#port = typeof address === "object" && address !== null ? address.port : 0;
    return way;
  }

  get port(): number {
    return this.#port;
  }

  /** Every connection ends; new ones are taken. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** What is connected now stays connected, and nothing passes on it any more: its machine lost its power. */
  silence(): void {
    for (const socket of this.#sockets) this.#silent.add(socket);
  }

  /** Nothing passes until `mend`. */
  cut(): void {
    this.#isCut = true;
    this.drop();
  }

  mend(): void {
    this.#isCut = false;
  }

  close(): void {
    this.drop();
    this.#server.close();
  }

  #carry(socket: Socket): void {
    if (this.#isCut) return void socket.destroy();
    const to = this.#portOf();
    const onward = typeof to === "string" ? connect(to) : connect(to, "127.0.0.1");
    for (const end of [socket, onward]) {
      this.#sockets.add(end);
      end.on("error", () => undefined);
      end.on("close", () => {
        this.#sockets.delete(end);
        socket.destroy();
        onward.destroy();
      });
    }
    socket.pipe(this.#late(socket)).pipe(onward).pipe(this.#late(socket)).pipe(socket);
  }

  #late(socket: Socket): Transform {
    return new Transform({
      transform: (piece: Buffer, _encoding, done) => {
        if (this.#silent.has(socket)) return done();
        this.bytes += piece.length;
        if (this.delayMs === 0) done(null, piece);
        else setTimeout(() => done(null, piece), this.delayMs);
      },
    });
  }
}
