import { type Escaped, joined, markdownOfOurs, md } from "../../domain/escaped.ts";
import type { MessageBody } from "../../domain/message.ts";
import { commandMention } from "./command-mention.ts";

/** How `/help` reads: by task and by person, short enough for a phone. Pure. */

export interface HelpView {
  readonly linked: boolean;
  /** Holds a tier on one of the linked servers. */
  readonly staff: boolean;
  readonly manageGuild: boolean;
  /** Discord's id of a command by its first word; undefined where it is not known (then it cannot be clicked). */
  commandId(name: string): string | undefined;
  readonly docsUrl: string | undefined;
}

interface Task {
  /** Without the slash, as it is typed. */
  readonly path: string;
  /** So short that the line does not break on a phone. */
  readonly does: string;
}

export const HELP_TASKS = {
  evening: [
    { path: "setup start", does: "link, roles, logs" },
    { path: "server status", does: "see the server" },
    { path: "run command", does: "try `:h hello`" },
    { path: "diagnose", does: "should something fail" },
  ],
  everyone: [
    { path: "server status", does: "the server now" },
    { path: "server players", does: "who plays" },
    { path: "me link", does: "your game account" },
  ],
  staff: [
    { path: "run command", does: "act in the game" },
    { path: "server calls", does: "open calls" },
    { path: "player show", does: "who is this" },
  ],
  managers: [
    { path: "setup start", does: "set everything up" },
    { path: "diagnose", does: "what is wrong" },
    { path: "feed list", does: "the logs" },
    { path: "staff list", does: "who may run what" },
    { path: "audit search", does: "who ran what" },
  ],
} as const satisfies Readonly<Record<string, readonly Task[]>>;

/** What this person can do here; where nothing is linked, what comes first. At most 12 lines with the title. */
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
  const { linked, staff, manageGuild } = view;
  const lines = (tasks: readonly Task[]) => tasks.map((task) => taskLine(task, view));
  if (!linked) {
    if (!manageGuild)
      return [md`No game server is linked yet. Someone with the Manage Server permission links one.`];
    const steps = HELP_TASKS.evening.map((task, at) => md`${at + 1}. ${taskLine(task, view)}`);
    return [md`**The first evening**`, ...steps];
  }
  return [
    ...lines(HELP_TASKS.everyone),
    ...(staff ? lines(HELP_TASKS.staff) : []),
    ...(manageGuild ? lines(HELP_TASKS.managers) : []),
    ...(staff || manageGuild ? [] : [md`-# Commands in the game are for staff.`]),
  ];
}

function taskLine({ path, does }: Task, { commandId }: HelpView): Escaped {
  return md`${commandMention(path, commandId)} ${markdownOfOurs(does)}`;
}
