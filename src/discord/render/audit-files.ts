import type { AuditEvent, RunRecord } from "../../domain/run.ts";

/** Audit rows as parts of a file, so that a long one can be put together in steps. Pure. */

const COLUMNS = [
  "id",
  "askedAt",
  "actorId",
  "actorName",
  "actorRoleIds",
  "origin",
  "serverName",
  "text",
  "verb",
  "status",
  "ran",
  "sentAt",
  "endedAt",
  "message",
  "failureCode",
  "commandId",
  "proof",
  "channelId",
] as const;

/** The same columns for every row; times in ISO 8601. */
function exported(record: RunRecord): Record<(typeof COLUMNS)[number], string> {
  return {
    id: record.id,
    askedAt: iso(record.askedAtMs),
    actorId: record.actorId,
    actorName: record.actorName,
    actorRoleIds: record.actorRoleIds.join(" "),
    origin: record.origin,
    serverName: record.serverName,
    text: record.text,
    verb: record.verb ?? "",
    status: record.status,
    ran: record.ran,
    sentAt: iso(record.sentAtMs),
    endedAt: iso(record.endedAtMs),
    message: record.message ?? "",
    failureCode: record.failureCode ?? "",
    commandId: record.commandId ?? "",
    proof: record.proof,
    channelId: record.channelId,
  };
}

/** How a file of rows is put together: `head`, rows with `between` among them, `foot`. */
export interface FileForm {
  readonly name: string;
  readonly head: string;
  readonly between: string;
  readonly foot: string;
  run(record: RunRecord): string;
}

export const csvForm: FileForm = {
  name: "audit.csv",
  // The mark tells Excel that it is UTF-8.
  head: `\ufeff${COLUMNS.join(",")}\r\n`,
  between: "\r\n",
  foot: "\r\n",
  run(record) {
    const row = exported(record);
    return COLUMNS.map((column) => csvCell(row[column])).join(",");
  },
};

/** What was configured stands in front: there is little of it. */
export function jsonForm(events: readonly AuditEvent[]): FileForm {
  const configured = events.map((event) => ({ ...event, at: iso(event.atMs) }));
  return {
    name: "audit.json",
    head: `{"events": ${JSON.stringify(configured, null, 1)},\n"runs": [\n`,
    between: ",\n",
    foot: "\n]}\n",
    run: (record) => JSON.stringify(exported(record), null, 1),
  };
}

/**
 * A cell that no spreadsheet takes for a formula: those begin with = + - @ or a control character, and some programs
 * skip spaces before them. An apostrophe in front makes it text. Ids are long numbers, which they would round.
 */
export function csvCell(text: string): string {
  const risky = /^\s*[=+\-@|%\t\r\n]/.test(text) || /^\d{16,}$/.test(text);
  return `"${(risky ? `'${text}` : text).replaceAll('"', '""')}"`;
}

function iso(atMs: number | undefined): string {
  return atMs === undefined ? "" : new Date(atMs).toISOString();
}
