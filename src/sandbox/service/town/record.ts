/** Someone of the game, as the service names them: `name:id`. */
export interface PlayerRef {
  readonly name: string;
  readonly id: number;
}

/** How the service writes a player (spec: Players). */
export function refText(player: PlayerRef): string {
  return `${player.name}:${player.id}`;
}

/** The actor of a command that came through the service. */
export const REMOTE_SERVER: PlayerRef = { name: "Remote Server", id: 0 };

/** A join or a leave. `atS` is epoch seconds, `player` is `name:id`; so in all entries. */
interface JoinEntry {
  readonly join: boolean;
  readonly atS: number;
  readonly player: string;
}

/** One player killed another. */
interface KillEntry {
  readonly killed: string;
  readonly atS: number;
  readonly killer: string;
}

/** A command that stands in the log; `remote` when it came through the service. */
interface CommandEntry {
  readonly player: string;
  readonly atS: number;
  readonly command: string;
  readonly remote: boolean;
}

/** A call for a moderator; the last two come when one answers. */
export interface ModCallEntry {
  readonly caller: string;
  readonly atS: number;
  moderator?: string;
  answeredAtS?: number;
}

/** An emergency call; units join it, and it ends. */
export interface EmergencyEntry {
  readonly team: string;
  readonly caller: number | null;
  readonly players: number[];
  readonly position: readonly [number, number];
  readonly startedAtS: number;
  readonly callNumber: number;
  readonly description: string | null;
  readonly positionDescriptor: string | null;
  endedAtS?: number;
}

/** Words that players were shown by `:h`, `:m` and `:pm`; not in any log of the service. */
interface ShownMessage {
  readonly kind: "hint" | "message" | "private";
  readonly text: string;
  readonly to: readonly string[];
  readonly atS: number;
}

/** Every entry that ever was, oldest first, whatever the served windows still hold: the truth for tests. */
export interface TownRecord {
  readonly joins: JoinEntry[];
  readonly kills: KillEntry[];
  readonly commands: CommandEntry[];
  readonly modCalls: ModCallEntry[];
  readonly emergencyCalls: EmergencyEntry[];
  readonly messages: ShownMessage[];
}

/** A record with nothing in it. */
export function emptyRecord(): TownRecord {
  return { joins: [], kills: [], commands: [], modCalls: [], emergencyCalls: [], messages: [] };
}
