import { type Escaped, markdownOfOurs, md } from "../../domain/escaped.ts";
import type { Card, CardField } from "../../domain/message.ts";
import type { CommandSummary } from "../command.ts";

/** How `/help` reads. Pure. */

export interface HelpView {
  readonly commands: readonly CommandSummary[];
  readonly linked: boolean;
  /** Holds a tier on one of the linked servers. */
  readonly staff: boolean;
  readonly manageGuild: boolean;
}

/** What this person can use, and the first step where nothing is set up. */
export function helpCard({ commands, linked, staff, manageGuild }: HelpView): Card {
  const open = commands.filter((line) => !line.manageGuild && (staff || !isRun(line)));
  const runs = open.filter(isRun);
  const managers = manageGuild ? commands.filter((line) => line.manageGuild) : [];
  const isStaffing = ({ path }: CommandSummary) => /^\/(staff|audit)\b/.test(path);
  const everyone = open.filter((line) => !isRun(line));
  const fields = [
    ...section(md`For everyone`, everyone),
    ...section(md`For staff`, runs),
    ...section(
      md`For whoever manages this Discord server`,
      managers.filter((line) => !isStaffing(line)),
    ),
    ...section(md`Staff and audit, for the same people`, managers.filter(isStaffing)),
  ];
  return {
    title: md`Marshal`,
    description: firstStep(linked, staff, manageGuild),
    color: 0x3b6fd4,
    fields,
  };
}

function firstStep(linked: boolean, staff: boolean, manageGuild: boolean): Escaped {
  if (!linked) {
    return manageGuild
      ? md`No game server is linked yet. Begin with \`/setup link\`: you need the server key from the game's settings.`
      : md`No game server is linked yet. Someone with the Manage Server permission begins with \`/setup link\`.`;
  }
  if (staff)
    return md`You are staff: \`/run command\` with a text such as \`:pm name hello\` runs it in the game.`;
  return md`Commands in the game are for staff; roles are given by \`/staff allow\`.`;
}

function isRun({ path }: CommandSummary): boolean {
  return path.startsWith("/run");
}

/** A field holds 1,024 characters: whole lines only, and what is left goes into a further field without a name. */
function section(name: Escaped, lines: readonly CommandSummary[]): CardField[] {
  const fields: { name: Escaped; value: Escaped }[] = [];
  for (const { path, description } of lines) {
    const line = md`\`${markdownOfOurs(path)}\` ${markdownOfOurs(description)}`;
    const last = fields.at(-1);
    if (last !== undefined && last.value.length + line.length < 1_024)
      last.value = md`${last.value}\n${line}`;
    else fields.push({ name: last === undefined ? name : md`\u200b`, value: line });
  }
  return fields;
}
