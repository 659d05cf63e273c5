import {
  countedS,
  type DutyPart,
  type DutyType,
  type Shift,
  type Still,
  startsByItself,
} from "../../../domain/duty.ts";
import {
  channelMention,
  type Escaped,
  joined,
  md,
  roleMention,
  userMention,
} from "../../../domain/escaped.ts";
import type { Button, MessageBody } from "../../../domain/message.ts";
import type { DutyNow, IdleStaff, OnDuty } from "../../../domain/ports/duty.ts";
import { type Correction, isCounting, isWaiting } from "../../../domain/quota.ts";
import type { DayWords } from "../day-words.ts";
import { cut, cutLines, escapeMarkdown, inlineName, plainText } from "../escape.ts";
import { lasting } from "../stats/stats-words.ts";
import { evidence, hoursOf, type ShiftNames, shiftLine } from "./shift-lines.ts";
import { correctionLine } from "./staffing-cards.ts";

/** How `/duty` reads. Pure. */

const COLORS = { on: 0x2d7d46, off: 0x80848e };
const LONGEST = 4_000;

/** How a shift of a type starts. */
function startWords(type: DutyType): Escaped {
  const itself = startsByItself(type);
  // Who is on the team counts, with or without a rank.
  const everyone = type.start === "team" ? md`, for everyone with a linked account` : md``;
  if (itself !== undefined) return md`starts by itself ${escapeMarkdown(itself)}${everyone}`;
  return type.start === "outside"
    ? md`outside the game, starts with \`/duty start\``
    : md`starts with \`/duty start\` or \`:log duty\``;
}

/** One type in one line, with what it asks for. */
export function typeLine(type: DutyType): Escaped {
  const more = [
    ...(type.requiredRoleId === undefined ? [] : [md`for ${roleMention(type.requiredRoleId)}`]),
    ...(type.most === undefined ? [] : [md`at most ${type.most} at once`]),
    ...(type.channelId === undefined ? [] : [md`posted in ${channelMention(type.channelId)}`]),
    ...(type.roleId === undefined ? [] : [md`gives ${roleMention(type.roleId)}`]),
  ];
  return joined([md`**${inlineName(type.name)}** ${startWords(type)}`, ...more], " · ");
}

export function typeList(types: readonly DutyType[], { setsUp }: { readonly setsUp: boolean }): MessageBody {
  const words =
    types.length === 0
      ? md`No duty types yet. ${setsUp ? "Add one" : "A Manager adds one"} with \`/duty type add\`.`
      : cutLines(
          types.map((type) => md`• ${typeLine(type)}`),
          LONGEST,
        );
  return { cards: [{ title: md`Duty types`, description: words, color: COLORS.off }] };
}

/** What somebody reads when their own shift began or changed. `unread`: why nobody can see whether they are in the game. */
export function ownCard(
  { type, shift, breakFromS, bindingId }: OnDuty,
  names: ShiftNames,
  unread?: Escaped,
): MessageBody {
  const isOnBreak = breakFromS !== undefined;
  const place =
    type.start === "outside"
      ? md`Outside the game: the time counts until you end it, 4 hours at most.`
      : unread !== undefined
        ? md`${unread}\nThe time counts if you are still in the game when it can be read again.`
        : bindingId === undefined
          ? md`You are not in the game. Join within 10 minutes: only time in the game counts.`
          : md`You are on **${inlineName(names.serverName(bindingId))}**. The shift ends by itself 10 minutes after you leave.`;
  const words = isOnBreak
    ? md`The break started <t:${breakFromS}:R>. After an hour the shift ends by itself.`
    : md`Started <t:${shift.fromS}:R>. ${place}`;
  return {
    cards: [
      {
        title: isOnBreak ? md`On a break` : md`On duty: ${inlineName(type.name)}`,
        description: words,
        color: isOnBreak ? COLORS.off : COLORS.on,
      },
    ],
    rows: [
      [
        {
          kind: "button",
          style: "secondary",
          label: isOnBreak ? "End the break" : "Take a break",
          id: isOnBreak ? "duty-break:end" : "duty-break:take",
        },
        { kind: "button", style: "danger", label: "End the shift", id: "duty-end" },
      ],
    ],
  };
}

/** What somebody reads when they ended their shift. */
export function endedCard(
  { type, shift, bindingId }: Pick<OnDuty, "type" | "shift" | "bindingId">,
  names: ShiftNames,
  unread?: Escaped,
): MessageBody {
  const wasThere = type.start === "outside" || bindingId !== undefined;
  const isBehind = (shift.parts.at(-1)?.untilS ?? shift.fromS) < (shift.untilS ?? 0);
  const follows = wasThere && isBehind ? md` so far. The time since the last look follows` : md``;
  return {
    cards: [
      {
        title: md`Off duty`,
        description: md`**${hoursOf(shift)}** counted${follows}.\n${evidence(shift, names, type.start === "outside" ? undefined : unread)}`,
        color: COLORS.off,
      },
    ],
  };
}

export interface NowView {
  /** There is no type of duty yet. */
  readonly untyped?: { readonly setsUp: boolean } | undefined;
  /** Servers that can't be read now, and why: nobody looks there. */
  readonly unread?: readonly Escaped[];
}

/** Who is on, since when, where; who could be; and whom nobody knows. */
export function nowCard(
  { on, idle, knownS }: DutyNow,
  names: ShiftNames,
  { untyped, unread = [] }: NowView = {},
): MessageBody {
  const known = idle.filter(({ userId }) => userId !== undefined);
  const unknown = idle.filter(({ userId }) => userId === undefined);
  const absent = unread.length > 0 ? md`` : md`not in the game`;
  const sections = [
    ...(untyped === undefined ? [] : [NO_TYPES[untyped.setsUp ? "manager" : "other"]]),
    on.length === 0
      ? md`Nobody is on duty.`
      : cutLines(
          on.map((one) => onLine(one, names, absent)),
          2_400,
        ),
    ...section(
      md`In the game, not on duty`,
      known.map((one) => idleLine(one, names)),
    ),
    ...section(
      md`Staff in the game without a linked account`,
      unknown.map((one) => idleLine(one, names)),
    ),
    ...unread.map((why) => md`-# ⚠ ${why}${why.endsWith(".") ? md`` : md`.`} Who is there is as last seen.`),
    ...(knownS === undefined && unread.length === 0 ? [md`-# The servers were not read yet.`] : []),
  ];
  return {
    cards: [
      {
        title: on.length === 0 ? md`On duty` : md`On duty: ${on.length}`,
        description: joined(sections, "\n\n"),
        color: on.length === 0 ? COLORS.off : COLORS.on,
      },
    ],
    rows: unknown.length === 0 ? [] : [unknown.slice(0, MOST_ASKED).map(askButton)],
  };
}

const NO_TYPES = {
  manager: md`No duty types are set up yet, so nobody can be on duty. Add one with \`/duty type add\`.`,
  other: md`No duty types are set up yet, so nobody can be on duty. A Manager adds one with \`/duty type add\`.`,
} as const;

/** Staff without an account who can be asked from the card; the next ones follow when these are linked. */
const MOST_ASKED = 4;

function askButton({ player: { id, name }, bindingId }: IdleStaff): Button {
  return {
    kind: "button",
    style: "secondary",
    label: `Ask ${cut(plainText(name), 40)} to link`,
    id: `duty-ask-link:${bindingId}/${id ?? ""}`,
  };
}

function section(title: Escaped, lines: readonly Escaped[]): readonly Escaped[] {
  return lines.length === 0 ? [] : [md`**${title}**\n${cutLines(lines, 700)}`];
}

/** `absent`: of who is in no server. */
function onLine({ type, shift, breakFromS, bindingId }: OnDuty, names: ShiftNames, absent: Escaped): Escaped {
  const place =
    type.start === "outside"
      ? md`outside the game`
      : bindingId === undefined
        ? absent
        : serverWords(bindingId, names);
  const state = breakFromS === undefined ? place : md`break started <t:${breakFromS}:R>`;
  const parts = [userMention(shift.userId), inlineName(type.name), md`started <t:${shift.fromS}:R>`, state];
  return joined(
    parts.filter((part) => part !== ""),
    " · ",
  );
}

function idleLine({ player, bindingId, rank, userId }: IdleStaff, names: ShiftNames): Escaped {
  const who =
    userId === undefined ? inlineName(player.name) : md`${userMention(userId)} (${inlineName(player.name)})`;
  const parts = [who, escapeMarkdown((rank ?? "").replace(/^Server /, "")), serverWords(bindingId, names)];
  return joined(
    parts.filter((part) => part !== ""),
    " · ",
  );
}

/** Nothing where there is only one. */
function serverWords(bindingId: string, { isOneServer, serverName }: ShiftNames): Escaped {
  return isOneServer === true ? md`` : inlineName(serverName(bindingId));
}

export interface ShiftsView {
  readonly userId: string;
  readonly shifts: readonly Shift[];
  readonly stills: readonly Still[];
  /** Why the server can't be read on which they are on duty now. */
  readonly unread?: Escaped | undefined;
  readonly days: number;
  /** When these days began. */
  readonly fromS: number;
  readonly corrections: readonly Correction[];
  /** The reader may confirm what waits. */
  readonly isDeciding: boolean;
}

/** Corrections that get a button; the next one follows when these are confirmed. */
const MOST_CONFIRMED = 5;

/** What counts as the board counts it: what was seen, and what Managers added and took. */
function sumWords({ shifts, corrections, days, fromS }: ShiftsView): Escaped {
  const parts = shifts.flatMap((shift) => shift.parts).flatMap((part) => since(part, fromS));
  const count = md`${shifts.length} ${shifts.length === 1 ? "shift" : "shifts"}`;
  const seconds = corrections.filter(isCounting).map((one) => one.seconds);
  const sumOf = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);
  const addedS = sumOf(seconds.filter((one) => one > 0));
  const takenS = -sumOf(seconds.filter((one) => one < 0));
  if (addedS === 0 && takenS === 0)
    return shifts.length === 0
      ? md`No shifts in the last ${days} days.`
      : md`**${hoursOf({ parts })}** in ${count}`;
  const whole = Math.max(0, countedS({ parts }) + addedS - takenS);
  const said = [
    shifts.length === 0 ? md`no shifts` : md`${hoursOf({ parts })} in ${count}`,
    ...(addedS === 0 ? [] : [md`${lasting(addedS)} added by hand`]),
    ...(takenS === 0 ? [] : [md`${lasting(takenS)} taken by hand`]),
  ];
  return md`**${lasting(whole)}**: ${joined(said, ", ")}`;
}

/** What of a part lies after that second. */
function since(part: DutyPart, atS: number): readonly DutyPart[] {
  if (part.mightUntilS <= atS) return [];
  const [fromS, untilS] = [Math.max(part.fromS, atS), Math.max(part.untilS, atS)];
  return [{ ...part, fromS, untilS, mightFromS: Math.max(part.mightFromS, atS) }];
}

/** The shifts of one member, newest first, and what was added or taken by hand. */
export function shiftsCard(view: ShiftsView, names: ShiftNames & { readonly days: DayWords }): MessageBody {
  const { userId, shifts, stills, unread, days, corrections, isDeciding } = view;
  const lines = shifts.map((shift) => shiftLine(shift, names, { stills, unread }));
  const sum = sumWords(view);
  const words = shifts.length === 0 ? sum : md`${sum}\n\n${cutLines(lines, 2_700)}`;
  const changes = corrections.map(
    (one, at) => md`${at + 1}. ${correctionLine(one, names.typeName(one.typeId), names.days)}`,
  );
  const added = changes.length === 0 ? [] : [md`**Changed by hand**\n${cutLines(changes, 900)}`];
  const waiting = corrections.flatMap((one, at) => (isWaiting(one) ? [{ ...one, nth: at + 1 }] : []));
  const buttons = waiting.slice(0, isDeciding ? MOST_CONFIRMED : 0).map(
    ({ id, nth }): Button => ({
      kind: "button",
      style: "primary",
      label: waiting.length === 1 ? "Confirm" : `Confirm ${nth}`,
      id: `duty-confirm:${id}`,
    }),
  );
  return {
    content: userMention(userId),
    cards: [
      {
        title: md`Shifts, last ${days} days`,
        description: joined([words, ...added], "\n\n"),
        color: COLORS.off,
      },
    ],
    rows: buttons.length === 0 ? [] : [buttons],
  };
}
