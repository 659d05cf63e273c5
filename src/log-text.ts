/** What JSON leaves as it is and a terminal obeys, or an editor shows in another order. */
const RAW = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
/** The same and what JSON writes as an escape: line breaks, the bell, ESC. */
const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
/** Fields that pino-pretty prints as they are, before the others. */
const HEAD: ReadonlySet<string> = new Set(["msg", "name", "pid", "hostname", "caller"]);

/** A line of JSON that no terminal obeys: text of others comes in fields and in messages of errors. */
export function safeLine(line: string): string {
  return line.replace(RAW, escaped);
}

/** The same for pino-pretty, which prints some fields and all names of fields without quotes. */
export function safePrettyLine(line: string): string {
  const fields = Object.entries(Object(JSON.parse(line, (_key, value) => safeValue(value))));
  const safe = fields.map(([name, value]) => {
    const isPrintedRaw = typeof value === "string" && HEAD.has(name);
    return [name.replace(CONTROL, escaped), isPrintedRaw ? value.replace(CONTROL, escaped) : value];
  });
  return `${JSON.stringify(Object.fromEntries(safe))}\n`;
}

function safeValue(value: unknown): unknown {
  if (typeof value === "string") return value.replace(RAW, escaped);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.replace(RAW, escaped), one]));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
