/** Messages of one guild that are tried at a time: each costs a runner. */
const MOST_TRIED = 2_000;
/** Messages of it that wait behind those; what comes on top stays with its record, for the next start. */
const MOST_BEHIND = 20_000;

interface Room {
  tried: number;
  /** By key, in the order in which they came. */
  readonly behind: Map<string, () => void>;
  isTold: boolean;
}

/** How many messages of a guild are tried at a time: one that makes them without end takes neither memory nor places. */
export class GuildRoom {
  readonly #rooms = new Map<string, Room>();
  #tell: (guildId: string) => void = () => undefined;

  /** `tell` hears of each guild whose newest messages are not taken on, once until none of it waits. */
  tellBy(tell: (guildId: string) => void): void {
    this.#tell = tell;
  }

  /** Whether a message may be tried now; else `begin` is called when it may, where there is room to remember that. */
  mayBegin(guildId: string, key: string, begin: () => void): boolean {
    const room = this.#rooms.get(guildId);
    if (room === undefined || room.tried < MOST_TRIED) return true;
    if (room.behind.has(key) || room.behind.size < MOST_BEHIND) room.behind.set(key, begin);
    else if (!room.isTold) {
      room.isTold = true;
      this.#tell(guildId);
    }
    return false;
  }

  onBegun(guildId: string): void {
    const room = this.#rooms.get(guildId) ?? { tried: 0, behind: new Map(), isTold: false };
    room.tried += 1;
    this.#rooms.set(guildId, room);
  }

  onEnded(guildId: string): void {
    const room = this.#rooms.get(guildId);
    if (room === undefined) return;
    room.tried -= 1;
    const [next] = room.behind;
    if (next !== undefined) {
      room.behind.delete(next[0]);
      next[1]();
    } else if (room.tried === 0) this.#rooms.delete(guildId);
  }
}
