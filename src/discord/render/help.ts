import { type Escaped, joined, markdownOfOurs, md } from "../../domain/escaped.ts";
import type { MessageBody } from "../../domain/message.ts";
import { commandMention } from "./command-mention.ts";

/** How `/help` reads: by task and by person, short enough for a phone. Pure. */

export interface HelpView {
  readonly linked: boolean;
  /** Of one of the linked servers: may run some command; may take moderator calls; has the tier of Moderators. */
  readonly staff: boolean;
  readonly takesCalls: boolean;
  readonly moderator: boolean;
  readonly manageGuild: boolean;
  /** A type of duty is set up. */
  readonly hasDuty: boolean;
  /** Discord's id of a command by its first word; undefined where it is not known (then it cannot be clicked). */
  commandId(name: string): string | undefined;
  readonly docsUrl: string | undefined;
}

interface Task {
  /** Who can do it; absent: everybody of the list. A role may be given one command, or the calls, without a tier. */
  readonly for?: "staff" | "takesCalls" | "moderator";
  /** Without the slash, as it is typed. */
  readonly path: string;
  /** A command of the same task, beside it. */
  readonly also?: string;
  /** So short that the line does not break on a phone. */
  readonly does: string;
}

export const HELP_TASKS = {
  evening: [
    { path: "setup start", does: "link, roles, logs" },
    { path: "server status", does: "see the server" },
    { path: "run command", does: "try `:log hello`" },
    { path: "diagnose", does: "if something fails" },
  ],
  everyone: [{ path: "server status", also: "server players", does: "now" }],
  staff: [
    { path: "run command", does: "act in the game", for: "staff" },
    { path: "server calls", does: "open calls", for: "takesCalls" },
    { path: "server at", does: "rewind to a time", for: "takesCalls" },
    { path: "player show", does: "who somebody is", for: "moderator" },
    { path: "case search", does: "kicks, bans, warnings", for: "moderator" },
    { path: "stats server", does: "how full it was", for: "moderator" },
  ],
  duty: [
    { path: "duty start", does: "go on duty", for: "staff" },
    { path: "duty now", does: "who is on duty", for: "moderator" },
  ],
  account: [{ path: "me link", does: "your game account", for: "staff" }],
  managers: [
    { path: "setup start", does: "set everything up" },
    { path: "diagnose", does: "what is wrong" },
    { path: "alert list", does: "what staff are alerted to" },
    { path: "stats weekly", does: "a summary each week" },
    { path: "session setup", does: "announce when you play" },
    { path: "duty board", does: "hours and quotas" },
    { path: "rule list", also: "rank list", does: "roles in game" },
    { path: "schedule list", does: "commands at set times" },
    { path: "audit search", does: "who ran what" },
  ],
} as const satisfies Readonly<Record<string, readonly Task[]>>;

/** What this person can do here; where nothing is linked, what comes first. */
export function helpMessage(view: HelpView): MessageBody {
  const { docsUrl } = view;
  return {
    cards: [{ title: md`Marshal`, description: joined(linesOf(view), "\n"), color: 0x3b6fd4 }],
    ...(docsUrl === undefined
      ? {}
      : { rows: [[{ kind: "button", style: "link", label: "Documentation", id: docsUrl }]] }),
  };
}

function linesOf(view: HelpView): readonly Escaped[] {
  const { linked, staff, takesCalls, moderator, manageGuild, hasDuty } = view;
  const isOnDuty = staff || takesCalls || moderator;
  const may = (task: Task) => task.for === undefined || view[task.for];
  const lines = (tasks: readonly Task[]) => tasks.filter(may).map((task) => taskLine(task, view));
  if (!linked) {
    if (!manageGuild) return [md`No game server is linked yet. Someone with Manage Server can link one.`];
    const steps = HELP_TASKS.evening.map((task, at) => md`${at + 1}. ${taskLine(task, view)}`);
    return [md`**The first evening**`, ...steps];
  }
  return [
    md`**The server**`,
    ...lines(HELP_TASKS.everyone),
    ...(isOnDuty
      ? [
          md`**On duty**`,
          ...lines(HELP_TASKS.staff),
          ...lines(hasDuty ? HELP_TASKS.duty : []),
          ...lines(HELP_TASKS.account),
        ]
      : []),
    ...(manageGuild ? [md`**Manage**`, ...lines(HELP_TASKS.managers)] : []),
    ...(isOnDuty || manageGuild ? [] : [md`-# Only staff can run commands in the game.`]),
  ];
}

function taskLine({ path, also, does }: Task, { commandId }: HelpView): Escaped {
  const beside = also === undefined ? md`` : md` ${commandMention(also, commandId)}`;
  return md`${commandMention(path, commandId)}${beside} ${markdownOfOurs(does)}`;
}
