import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { announcementOf, intent } from "./announce.ts";
import { isRecord, type Raw } from "./form.ts";
import { answerMembers, SentMessages } from "./member-requests.ts";
import { guildCreateJson, selfJson } from "./serialize.ts";
import type { FatalClose } from "./settings.ts";
import type { DiscordEvent, Guild } from "./types.ts";
import type { World } from "./world.ts";

const heartbeatIntervalMs = 41_250;
const keptForResume = 2_000;

interface Dispatch {
  readonly s: number;
  readonly t: string;
  readonly d: unknown;
}

interface Session {
  readonly id: string;
  readonly intents: number;
  readonly shard: readonly [number, number];
  socket: WebSocket | undefined;
  sequence: number;
  readonly sent: Dispatch[];
}

/** What goes wrong at the moment. */
interface GatewayFacts {
  isRevoked(): boolean;
  membersRefusedForMs(): number | undefined;
}

/** The gateway: sessions by identify, heartbeats, resume with what was missed, and the world's events. */
export class Gateway {
  readonly #world: World;
  readonly #url: () => string;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sessions = new Map<string, Session>();
  readonly #isRevoked: () => boolean;
  readonly #membersRefusedForMs: () => number | undefined;
  /** Shards whose identify or resume gets no answer. */
  #away: ReadonlySet<number> = new Set();
  /** Connections of theirs, that wait for one. */
  readonly #unanswered = new Set<WebSocket>();

  constructor(world: World, url: () => string, faults: GatewayFacts) {
    this.#world = world;
    this.#url = url;
    this.#isRevoked = () => faults.isRevoked();
    this.#membersRefusedForMs = () => faults.membersRefusedForMs();
    world.events.on((event) => this.#announce(event));
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#greet(webSocket));
  }

  /** Is there a session, connected or yet to be resumed, that would get this guild's events? */
  reaches(guildId: string): boolean {
    return [...this.#sessions.values()].some((session) => covers(session, guildId));
  }

  /** Who is connected at this moment. */
  get connected(): readonly { readonly id: string; readonly shard: readonly [number, number] }[] {
    return [...this.#sessions.values()]
      .filter(({ socket }) => socket !== undefined)
      .map(({ id, shard }) => ({ id, shard }));
  }

  /** How many connections have asked for a session and get no answer. */
  get unanswered(): number {
    return this.#unanswered.size;
  }

  /** Sends an event to the shard of a guild, whatever its intents. */
  dispatch(guildId: string, name: string, data: unknown): void {
    for (const session of this.#sessions.values())
      if (covers(session, guildId)) this.#send(session, name, data);
  }

  /** Cuts every connection; sessions that are not resumable must identify anew. */
  drop(resumable: boolean): void {
    for (const session of [...this.#sessions.values()]) {
      if (!resumable) this.#sessions.delete(session.id);
      session.socket?.close(4000, "reconnect, please");
    }
  }

  /** Closes every connection with a code after which Discord wants none again. */
  end(code: FatalClose): void {
    for (const session of [...this.#sessions.values()]) {
      this.#sessions.delete(session.id);
      session.socket?.close(code, "not again");
    }
  }

  /** Cuts these shards off, and leaves them without an answer until they are named no more. */
  away(shards: readonly number[]): void {
    this.#away = new Set(shards);
    for (const { shard, socket } of this.#sessions.values()) {
      if (this.#away.has(shard[0])) socket?.close(4000, "reconnect, please");
    }
    for (const socket of this.#unanswered) socket.close(4000, "reconnect, please");
    this.#unanswered.clear();
  }

  async close(): Promise<void> {
    for (const client of this.#server.clients) client.terminate();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #greet(socket: WebSocket): void {
    let session: Session | undefined;
    const sent = new SentMessages();
    socket.send(
      JSON.stringify({
        op: 10,
        d: { heartbeat_interval: heartbeatIntervalMs, _trace: [] },
        s: null,
        t: null,
      }),
    );
    socket.on("message", (data) => {
      const payload = parse(data);
      if (payload === undefined) return socket.close(4002, "Error while decoding payload.");
      if (!sent.take(this.#world.nowMs())) return socket.close(4008, "Rate limited.");
      if (payload.op === 1) return socket.send(JSON.stringify({ op: 11, d: null, s: null, t: null }));
      const body = isRecord(payload.d) ? payload.d : {};
      if (payload.op === 2) session = this.#identify(socket, body) ?? session;
      else if (payload.op === 6) session = this.#resume(socket, body) ?? session;
      else if (session === undefined) socket.close(4003, "Not authenticated.");
      else if (payload.op === 8) this.#sendMembers(session, body);
      return undefined;
    });
    // An abrupt end is a "close" as well; the error itself tells nothing more.
    socket.on("error", () => {});
    socket.on("close", (code) => {
      this.#unanswered.delete(socket);
      if (session?.socket !== socket) return;
      session.socket = undefined;
      // Discord ends a session that its client closes with 1000 or 1001; any other can be resumed.
      if (code === 1000 || code === 1001) this.#sessions.delete(session.id);
      this.#world.emit({ type: "gateway-disconnected", sessionId: session.id, code });
    });
  }

  #identify(socket: WebSocket, body: Raw): Session | undefined {
    if (body.token !== this.#world.token || this.#isRevoked()) {
      socket.close(4004, "Authentication failed.");
      return undefined;
    }
    const given = Array.isArray(body.shard) ? body.shard : [0, 1];
    const shard = [Number(given[0]), Number(given[1])] as const;
    if (!(shard[0] >= 0 && shard[0] < shard[1])) {
      socket.close(4010, "Invalid shard.");
      return undefined;
    }
    if (!this.#mayBegin(socket, shard[0])) return undefined;
    if (this.#leftAlone(socket, shard[0])) return undefined;
    this.#forgetGhosts(shard);
    const id = this.#world.secret().slice(0, 32);
    const session: Session = { id, intents: Number(body.intents ?? 0), shard, socket, sequence: 0, sent: [] };
    this.#sessions.set(id, session);
    this.#welcome(session);
    this.#world.emit({ type: "gateway-connected", sessionId: id, shard, resumed: false });
    return session;
  }

  /** Too many sessions end the token for the day; one that comes too soon is invalid, and may be begun again later. */
  #mayBegin(socket: WebSocket, shard: number): boolean {
    const taken = this.#world.identifies.take(shard);
    if (taken === "spent") socket.close(4004, "Too many sessions.");
    else if (taken === "too-soon") socket.send(JSON.stringify({ op: 9, d: false, s: null, t: null }));
    return taken === "begun";
  }

  /** Whether this connection is of a shard that is to stay away. */
  #leftAlone(socket: WebSocket, shard: number): boolean {
    if (!this.#away.has(shard)) return false;
    this.#unanswered.add(socket);
    return true;
  }

  /** A process that was killed and starts again leaves a session behind that nobody will resume. */
  #forgetGhosts(shard: readonly [number, number]): void {
    for (const session of this.#sessions.values()) {
      if (session.socket === undefined && session.shard[0] === shard[0] && session.shard[1] === shard[1])
        this.#sessions.delete(session.id);
    }
  }

  #welcome(session: Session): void {
    const world = this.#world;
    const guilds = [...world.guilds.values()].filter((guild) => guild.hasBot && covers(session, guild.id));
    this.#send(session, "READY", {
      v: 10,
      user: selfJson(world.bot),
      guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
      private_channels: [],
      relationships: [],
      session_id: session.id,
      session_type: "normal",
      resume_gateway_url: this.#url(),
      shard: session.shard,
      application: { id: world.bot.id, flags: 0 },
    });
    for (const guild of guilds) this.#sendGuild(session, guild);
  }

  #resume(socket: WebSocket, body: Raw): Session | undefined {
    const session = this.#sessions.get(String(body.session_id));
    const seen = Number(body.seq ?? 0);
    const oldest = session?.sent[0]?.s ?? 1;
    const tooOld = session !== undefined && (seen > session.sequence || seen + 1 < oldest);
    if (body.token !== this.#world.token || session === undefined || tooOld) {
      socket.send(JSON.stringify({ op: 9, d: false, s: null, t: null }));
      return undefined;
    }
    if (this.#leftAlone(socket, session.shard[0])) return undefined;
    session.socket?.close(4000, "resumed elsewhere");
    session.socket = socket;
    for (const missed of session.sent.filter((one) => one.s > seen))
      socket.send(JSON.stringify({ op: 0, ...missed }));
    this.#send(session, "RESUMED", { _trace: [] });
    this.#world.emit({
      type: "gateway-connected",
      sessionId: session.id,
      shard: session.shard,
      resumed: true,
    });
    return session;
  }

  #send(session: Session, t: string, d: unknown): void {
    const dispatch = { s: ++session.sequence, t, d };
    session.sent.push(dispatch);
    if (session.sent.length > keptForResume) session.sent.shift();
    session.socket?.send(JSON.stringify({ op: 0, ...dispatch }));
  }

  #sendGuild(session: Session, guild: Guild): void {
    if ((session.intents & intent.guilds) === 0) return;
    if (!guild.isAvailable) {
      this.#send(session, "GUILD_DELETE", { id: guild.id, unavailable: true });
      return;
    }
    this.#send(
      session,
      "GUILD_CREATE",
      guildCreateJson(guild, (channel) => this.#world.lastMessageId(channel)),
    );
  }

  #sendMembers(session: Session, body: Raw): void {
    const guild = this.#world.guilds.get(String(body.guild_id));
    if (guild === undefined || !guild.hasBot) return;
    const hasMembersIntent = (session.intents & intent.members) !== 0;
    const answer = answerMembers(guild, body, {
      hasMembersIntent,
      refusedForMs: this.#membersRefusedForMs(),
    });
    if (answer === "unreadable") session.socket?.close(4002, "Error while decoding payload.");
    else if (answer !== "nothing") this.#send(session, answer.name, answer.data);
  }

  #announce(event: DiscordEvent): void {
    if (event.type === "guild-added") {
      for (const session of this.#sessions.values())
        if (covers(session, event.guild.id)) this.#sendGuild(session, event.guild);
      return;
    }
    const told = announcementOf(this.#world, event);
    if (told === undefined) return;
    for (const session of this.#sessions.values()) {
      if ((session.intents & told.intents) === 0 || !covers(session, told.guildId)) continue;
      const readable = (session.intents & intent.content) !== 0;
      this.#send(session, told.name, readable ? told.data : (told.withoutContent ?? told.data));
    }
  }
}

/** Discord's formula: (guild id >> 22) % shards; direct messages go to shard 0. */
function covers(session: Session, guildId: string | undefined): boolean {
  const [index, count] = session.shard;
  return guildId === undefined ? index === 0 : Number((BigInt(guildId) >> 22n) % BigInt(count)) === index;
}

function parse(data: RawData): Raw | undefined {
  try {
    const value: unknown = JSON.parse(String(data));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
