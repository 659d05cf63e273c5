import type { JoinEntry, KillEntry, ModCallEntry, PlayerRef } from "../../src/domain/model.ts";
import type { Random } from "../../src/domain/ports/clock.ts";
import type { AimedCommand, LogRows, RecordedAnswer } from "../../src/history/ingest/recorded-answer.ts";

/** Game servers of a bench: what each of them brings from answer to answer. */

export const SERVERS = 200;
const PLAYERS_A_SERVER = 1_000;
const INSIDE = 40;
/** Rows of an answer; together they make the mix of a busy evening. */
const MIX = { joins: 24, kills: 36, commands: 32, modCalls: 4 } as const;
export const ROWS_AN_ANSWER = MIX.joins + MIX.kills + MIX.commands + MIX.modCalls;
const START_S = 1_780_000_000;
const NAMES = ["river", "Stone", "max", "Officer", "xX", "lil", "Dark", "blue", "Mr", "the"];
const TEXTS = [
  ":h welcome to the server, read the rules",
  ":pm {} please come to the station",
  ":to {}",
  ":kick {} RDM",
  ":m event at the harbour in five minutes",
  ":bring {}",
  ":log patrol",
];

export function guildOf(server: number): string {
  return String(100_000_000_000_000_000n + BigInt(server));
}

export function bindingOf(server: number): string {
  return `binding-${server}`;
}

export function playerOf(server: number, index: number): Required<PlayerRef> {
  const name = `${NAMES[index % NAMES.length]}${String.fromCharCode(97 + (index % 26))}_${server}_${index}`;
  return { name, id: 1_000_000_000 + server * PLAYERS_A_SERVER + index };
}

/** The time of one answer of a server; they are spread over the 85 days before `endS`. */
export function secondOf(round: number, rounds: number): { readonly fromS: number; readonly toS: number } {
  const spanS = 85 * 86_400;
  const stepS = spanS / rounds;
  return { fromS: Math.floor(START_S + round * stepS), toS: Math.floor(START_S + (round + 1) * stepS) };
}

/** What the answer of one server brings that the one before did not have. */
export function recordedAnswerOf(
  server: number,
  times: { readonly fromS: number; readonly toS: number },
  random: Random,
): RecordedAnswer {
  const { fromS, toS } = times;
  const any = () => playerOf(server, Math.floor(random.next() ** 2 * PLAYERS_A_SERVER));
  const second = () => fromS + Math.floor(random.next() * Math.min(120, toS - fromS));
  const inside = Array.from({ length: INSIDE }, any);
  const one = () => inside[Math.floor(random.next() * INSIDE)] ?? any();
  const log = <T extends { readonly atS: number }>(count: number, row: (atS: number) => T): LogRows<T> => {
    const rows = Array.from({ length: count }, () => row(second()));
    const seconds = rows.map(({ atS }) => atS);
    return {
      rows,
      gaps: [],
      cleared: [],
      newestS: Math.max(...seconds),
      length: count,
    };
  };
  const joins = log(
    MIX.joins,
    (atS): JoinEntry => ({ kind: "join", atS, player: one(), joined: random.next() < 0.5 }),
  );
  return {
    links: [{ guildId: guildOf(server), bindingId: bindingOf(server), linkedAtS: START_S }],
    atS: fromS + Math.min(120, toS - fromS),
    playerCount: INSIDE,
    players: inside.map((player, at) => ({ player, permission: at < 3 ? "Server Moderator" : "Normal" })),
    newestJoinS: joins.newestS,
    hasModCalls: true,
    joins,
    kills: log(MIX.kills, (atS): KillEntry => ({ kind: "kill", atS, killer: one(), killed: one() })),
    commands: log(MIX.commands, (atS): AimedCommand => {
      const target = one();
      const text = (TEXTS[Math.floor(random.next() * TEXTS.length)] ?? "").replace("{}", target.name);
      return {
        kind: "command",
        atS,
        player: one(),
        text,
        targets: text.includes(target.name) ? [target] : [],
      };
    }),
    modCalls: log(
      MIX.modCalls,
      (atS): ModCallEntry => ({ kind: "modCall", atS, caller: one(), moderator: one() }),
    ),
  };
}
