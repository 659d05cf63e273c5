import { defineAction, defineFormEntry, type Form, type Press, type Reply } from "../src/discord/command.ts";
import { confirmedCard, importAnswer, importPlan, importUndone } from "../src/discord/render/me-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { LinkRow } from "../src/domain/ports/game-accounts.ts";
import { knownNames } from "./known-names.ts";
import { mustBeManager } from "./staff-rights.ts";
import { mayTakeRanks } from "./unlink-rights.ts";

/** `/me import`: a Manager's list of members and their accounts in the game, checked first, and undone as a whole. */

const FOR_MANAGERS = "Only Managers can link somebody else's account.";
/** A form holds no more. */
const FIELDS = ["rows", "rows2", "rows3", "rows4"];
const LONGEST_FIELD = 4_000;

interface ReadRows {
  /** By the id of the account in the game. */
  readonly rows: readonly { readonly userId: string; readonly playerId: number }[];
  /** Lines of which nothing could be read. */
  readonly unreadable: readonly string[];
}

/** One member and one account a line: `member id, game id`. A first line without digits is a heading. */
function readRows(text: string): ReadRows {
  const rows: { userId: string; playerId: number }[] = [];
  const unreadable: string[] = [];
  const lines = text.split(/\r?\n/u).filter((line) => line.trim() !== "");
  for (const [at, line] of lines.entries()) {
    if (at === 0 && !/\d/u.test(line)) continue;
    const [, userId, playerId] =
      /^\s*"?(?:<@!?)?(\d{15,20})>?"?\s*[,;\s]\s*"?(\d{1,15})"?\s*(?:[,;].*)?$/u.exec(line) ?? [];
    if (userId === undefined || playerId === undefined) unreadable.push(line.trim());
    else rows.push({ userId, playerId: Number(playerId) });
  }
  return { rows, unreadable };
}

function form(): Form {
  return {
    id: "me-import",
    title: "Link game accounts from a list",
    intro: md`One line each: the member's Discord id, a comma, their id in the game. You see what would be linked before anything is.`,
    fields: FIELDS.map((id, index) => ({
      kind: "text",
      id,
      label: index === 0 ? "Rows" : `More rows ${index + 1}`,
      long: true,
      required: index === 0,
      maxLength: LONGEST_FIELD,
      ...(index === 0 ? { placeholder: "Discord id, game id" } : {}),
    })),
  };
}

async function plan({ actor, form: values }: Press, services: Services): Promise<Reply> {
  await mustBeManager(services, actor, FOR_MANAGERS);
  const { rows, unreadable } = readRows(FIELDS.map((id) => values.text(id)).join("\n"));
  if (rows.length === 0)
    throw new Failure("bad-command", "I found no rows with a member's id and a game id.");
  const ids = rows.map(({ playerId }) => playerId);
  // The others are called by their ids.
  const known = await knownNames(services, actor.guildId, ids);
  const named = rows.map(({ userId, playerId: id }): LinkRow => {
    return { userId, player: { id, name: known.get(id) ?? String(id) } };
  });
  return importPlan(await services.accounts.planImport(actor, named), unreadable);
}

export const importEntry = defineFormEntry({
  description: "Link members to their game accounts from a list (Managers)",
  first: "modal",
  parse: () => undefined,
  form,
});

export const importActions = {
  "me-import": defineAction({ first: "ephemeral", execute: plan }),
  "me-import-apply": defineAction({
    first: "update",
    async execute({ actor, argument }, services) {
      await mustBeManager(services, actor, FOR_MANAGERS);
      return importAnswer(await services.accounts.applyImport(actor, argument));
    },
  }),
  "me-import-undo": defineAction({
    first: "update",
    async execute({ actor, argument }, services) {
      await mustBeManager(services, actor, FOR_MANAGERS);
      const all = await services.accounts.list(actor.guildId);
      await mayTakeRanks(
        services,
        actor,
        all.filter(({ importId }) => importId === argument),
      );
      return importUndone(await services.accounts.undoImport(actor, argument));
    },
  }),
  "me-confirm": defineAction({
    // Its button stands under what a rule told, too.
    first: "ephemeral",
    async execute({ actor, argument }, services) {
      await mustBeManager(services, actor, "Only Managers can confirm a link.");
      const [userId = "", playerId = ""] = argument.split("/");
      const account = await services.accounts.confirm(actor, { userId, playerId: Number(playerId) });
      return confirmedCard(account);
    },
  }),
} as const;
