import { defineAction, defineEntry, defineFormEntry } from "../src/discord/command.ts";
import { importedCard, importList, planCard } from "../src/discord/render/shifts/import-cards.ts";
import { readTotals } from "../src/domain/duty-import.ts";
import { md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import { DEFAULT_ZONE } from "../src/domain/time-zones.ts";
import { recordEvent } from "./audit-event.ts";
import { dutyNames } from "./duty-rights.ts";
import { mustBeManager } from "./staff-rights.ts";

/** `/duty import`: totals of hours from another bot, pasted as CSV. */

const MANAGERS = "Only Managers can import hours.";

export const importAddEntry = defineFormEntry<object>({
  description: "Take over hours from another bot: paste its CSV (Managers)",
  first: "modal",
  parse: () => ({}),
  form: () => ({
    id: "duty-import-read:",
    title: "Import hours",
    intro: md`One line per member: Discord id, duty type, minutes, as of (a day). No type means your first one, no day means today. You see what would be imported first.`,
    fields: [
      {
        kind: "text",
        id: "csv",
        label: "CSV",
        long: true,
        maxLength: 4_000,
        placeholder: "member,type,minutes,as of\nDISCORD-ID,Patrol,1250,2026-11-01",
      },
    ],
  }),
});

export const importListEntry = defineEntry<object>({
  description: "Past imports, with a button to undo each (Managers)",
  first: "ephemeral",
  parse: () => ({}),
  async execute({ actor }, services) {
    await mustBeManager(services, actor, MANAGERS);
    return importList(await services.staffing.imports(actor.guildId));
  },
});

export const importActions = {
  "duty-import-read": defineAction({
    first: "ephemeral",
    async execute({ actor, form }, services) {
      await mustBeManager(services, actor, MANAGERS);
      const { guildId } = actor;
      const { timeZone: zone = DEFAULT_ZONE } = await services.settings.of(guildId);
      const types = await services.duty.types(guildId);
      const read = readTotals(form.text("csv"), { types, nowMs: services.clock.nowMs(), zone });
      const plan = await services.staffing.planImport(actor, read);
      return planCard(plan, await dutyNames(services, guildId, types));
    },
  }),
  "duty-import": defineAction({
    first: "update",
    async execute({ actor, argument }, services) {
      await mustBeManager(services, actor, MANAGERS);
      const done = await services.staffing.doImport(actor, argument);
      if (done === undefined) throw new Failure("bad-command", "This plan is gone. Paste the hours again.");
      await recordEvent(services, actor, { action: "duty-import", text: `${done.totals.length} totals` });
      return importedCard(done);
    },
  }),
  "duty-import-undo": defineAction({
    first: "update",
    async execute({ actor, argument }, services) {
      await mustBeManager(services, actor, MANAGERS);
      const undone = await services.staffing.undoImport(actor, argument);
      if (undone !== undefined)
        await recordEvent(services, actor, {
          action: "duty-import-undo",
          text: `${undone.totals.length} totals`,
        });
      return importList(await services.staffing.imports(actor.guildId));
    },
  }),
} as const;
