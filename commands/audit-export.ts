import { setImmediate } from "node:timers/promises";
import { ApplicationCommandOptionType } from "discord.js";
import { defineEntry } from "../src/discord/command.ts";
import { csvForm, type FileForm, jsonForm } from "../src/discord/render/audit-files.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, joined, md } from "../src/domain/escaped.ts";
import type { AuditEvent, AuditFound } from "../src/domain/run.ts";
import { recordEvent } from "./audit-event.ts";
import { type FilterArgs, type Filters, filterOptions, filtersOf, parseFilter } from "./audit-filter.ts";
import { MOST_FILE_BYTES, type PackedFile, packedFile, packedText } from "./packed-file.ts";
import { completeServer } from "./server-option.ts";

const MOST_COMMANDS = 10_000;
const MOST_EVENTS = 2_000;
/** Each search reads a bounded number of rows, whatever it finds. */
const MOST_SEARCHES = 10;
/** Text that one export may hold in memory. */
const MOST_TEXT_BYTES = 32_000_000;
/** Rows that are put together between two yields to other work. */
const YIELD_EVERY_ROWS = 200;

export const exportRows = defineEntry<FilterArgs & { readonly format: string }>({
  description: "The audit as a file",
  first: "ephemeral",
  options: [
    {
      type: ApplicationCommandOptionType.String,
      name: "format",
      description: "CSV has the commands, JSON also setting changes",
      required: true,
      choices: [
        { name: "CSV", value: "csv" },
        { name: "JSON", value: "json" },
      ],
    },
    ...filterOptions,
  ],
  serverIsFilter: true,
  parse: (options) => ({ ...parseFilter(options), format: options.string("format", true) }),
  autocomplete: completeServer,
  async execute({ actor, args }, services) {
    const filters = await filtersOf(services, actor, args);
    const events = args.format === "csv" ? NO_EVENTS : await allEvents(services, actor.guildId, filters);
    const form = args.format === "csv" ? csvForm : jsonForm(events.rows);
    const { rows, complete } = await allRows(services, actor.guildId, { runs: filters.runs, form });
    const { file, kept, unpackedBytes } = await fileOf(form, rows);

    await recordEvent(services, actor, { action: "audit-export", text: `${kept} rows as ${args.format}` });
    const counts = [
      counted(kept, md`command`),
      ...(events.rows.length === 0 ? [] : [counted(events.rows.length, md`setting change`)]),
    ];
    const said = [md`📄 ${joined(counts, ", ")}.`];
    if (!complete || kept < rows.length) {
      said.push(md`These are the newest. Filter by person, verb, server or days to get the rest.`);
    }
    if (!events.complete) {
      said.push(
        md`Only the newest ${events.rows.length} setting changes are in it. Filter by person or days to get the rest.`,
      );
    }
    if (unpackedBytes !== undefined) said.push(packedText(unpackedBytes));
    return { content: joined(said, " "), files: [file] };
  },
});

function counted(count: number, what: Escaped): Escaped {
  return count === 1 ? md`1 ${what}` : md`${count} ${what}s`;
}

interface Rows {
  /** Rows as they stand in the file, the newest first. */
  readonly rows: readonly string[];
  readonly complete: boolean;
}

async function allRows(
  { audit }: Services,
  guildId: string,
  { runs, form }: { readonly runs: Filters["runs"]; readonly form: FileForm },
): Promise<Rows> {
  const rows: string[] = [];
  let bytes = 0;
  const search = (after: After) => audit.search(guildId, { ...runs, ...after, limit: MOST_COMMANDS });
  for await (const found of inSearches(search)) {
    for (const record of found.rows) {
      const row = form.run(record);
      bytes += Buffer.byteLength(row) + form.between.length;
      if (rows.length >= MOST_COMMANDS || bytes > MOST_TEXT_BYTES) return { rows, complete: false };
      rows.push(row);
      if (rows.length % YIELD_EVERY_ROWS === 0) await setImmediate();
    }
    if (found.stoppedAt === undefined) return { rows, complete: found.rows.length < MOST_COMMANDS };
  }
  return { rows, complete: false };
}

interface Events {
  readonly rows: readonly AuditEvent[];
  readonly complete: boolean;
}

const NO_EVENTS: Events = { rows: [], complete: true };

async function allEvents(
  { audit }: Services,
  guildId: string,
  { events, wantsEvent }: Filters,
): Promise<Events> {
  if (events === undefined) return NO_EVENTS;
  const rows: AuditEvent[] = [];
  let isWhole = false;
  // One more than fit says that there are more.
  const search = (after: After) => audit.events(guildId, { ...events, ...after, limit: MOST_EVENTS + 1 });
  for await (const found of inSearches(search)) {
    rows.push(...found.rows.filter(wantsEvent));
    isWhole = found.stoppedAt === undefined && found.next === undefined;
  }
  return { rows: rows.slice(0, MOST_EVENTS), complete: isWhole && rows.length <= MOST_EVENTS };
}

/** Where the search before this one stopped; empty for the first. */
type After = { readonly after?: string };

/** Runs one search after the other, each from where the one before stopped. */
async function* inSearches<T>(
  search: (after: After) => Promise<AuditFound<T>>,
): AsyncGenerator<AuditFound<T>> {
  let after: After = {};
  for (let count = 0; count < MOST_SEARCHES; count += 1) {
    const found = await search(after);
    yield found;
    if (found.stoppedAt === undefined) return;
    after = { after: found.stoppedAt };
  }
}

/** The file, with fewer rows where it would be too large even compressed. `kept`: the rows that are in it. */
async function fileOf(
  form: FileForm,
  rows: readonly string[],
): Promise<PackedFile & { readonly kept: number }> {
  for (let kept = rows.length; ; ) {
    const text = `${form.head}${rows.slice(0, kept).join(form.between)}${form.foot}`;
    const packed = await packedFile(form.name, text);
    if (packed.bytes <= MOST_FILE_BYTES) return { ...packed, kept };
    kept = Math.floor(((kept * MOST_FILE_BYTES) / packed.bytes) * 0.95);
  }
}
