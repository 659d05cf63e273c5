/** Reads fields of an untrusted JSON body, noting what Discord would object to. */
import type { Path, Problems } from "./errors.ts";

export type Raw = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface TextRule {
  readonly max: number;
  readonly min?: number;
  readonly required?: boolean;
  /** Discord strips white space around the texts of messages before it counts them. */
  readonly trim?: boolean;
}

/** A text, or undefined when it is missing, null or wrong. Lengths count code points, as Discord does. */
export function text(problems: Problems, raw: unknown, path: Path, rule: TextRule): string | undefined {
  if (raw === undefined || raw === null) {
    if (rule.required === true) required(problems, path);
    return undefined;
  }
  if (typeof raw !== "string") {
    problems.add(path, "STRING_TYPE_CONVERT", `Could not interpret "${String(raw)}" as string.`);
    return undefined;
  }
  const value = rule.trim === true ? raw.trim() : raw;
  const length = lengthOf(value);
  const min = rule.min ?? 0;
  if (length > rule.max) {
    if (min > 0)
      problems.add(path, "BASE_TYPE_BAD_LENGTH", `Must be between ${min} and ${rule.max} in length.`);
    else problems.add(path, "BASE_TYPE_MAX_LENGTH", `Must be ${rule.max} or fewer in length.`);
    return undefined;
  }
  if (rule.required === true && length === 0) {
    required(problems, path);
    return undefined;
  }
  if (length < min) {
    problems.add(path, "BASE_TYPE_BAD_LENGTH", `Must be between ${min} and ${rule.max} in length.`);
    return undefined;
  }
  return value;
}

export function required(problems: Problems, path: Path): void {
  problems.add(path, "BASE_TYPE_REQUIRED", "This field is required");
}

export function lengthOf(value: string): number {
  let length = 0;
  for (const _ of value) length++;
  return length;
}

interface IntegerRule {
  readonly min: number;
  readonly max: number;
  readonly required?: boolean;
}

export function integer(problems: Problems, raw: unknown, path: Path, rule: IntegerRule): number | undefined {
  if (raw === undefined || raw === null) {
    if (rule.required === true) required(problems, path);
    return undefined;
  }
  const value = typeof raw === "string" && /^-?\d+$/.test(raw) ? Number(raw) : raw;
  if (typeof value !== "number" || !Number.isInteger(value)) {
    problems.add(path, "NUMBER_TYPE_COERCE", `Value "${String(raw)}" is not int.`);
    return undefined;
  }
  if (value < rule.min) {
    problems.add(path, "NUMBER_TYPE_MIN", `int value should be greater than or equal to ${rule.min}.`);
    return undefined;
  }
  if (value > rule.max) {
    problems.add(path, "NUMBER_TYPE_MAX", `int value should be less than or equal to ${rule.max}.`);
    return undefined;
  }
  return value;
}

export function boolean(problems: Problems, raw: unknown, path: Path): boolean | undefined {
  if (raw === undefined || raw === null) return undefined;
  if (typeof raw === "boolean") return raw;
  problems.add(path, "BOOLEAN_TYPE_CONVERT", "Must be either true or false.");
  return undefined;
}

interface ListRule {
  readonly max: number;
  readonly min?: number;
}

/** A list, or undefined when it is missing or null. */
export function list(
  problems: Problems,
  raw: unknown,
  path: Path,
  rule: ListRule,
): readonly unknown[] | undefined {
  if (raw === undefined || raw === null) return undefined;
  if (!Array.isArray(raw)) {
    problems.add(path, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType");
    return undefined;
  }
  const min = rule.min ?? 0;
  if (raw.length > rule.max || raw.length < min) {
    const message =
      min > 0
        ? `Must be between ${min} and ${rule.max} in length.`
        : `Must be ${rule.max} or fewer in length.`;
    problems.add(path, min > 0 ? "BASE_TYPE_BAD_LENGTH" : "BASE_TYPE_MAX_LENGTH", message);
    return undefined;
  }
  return raw;
}

export function object(problems: Problems, raw: unknown, path: Path): Raw | undefined {
  if (raw === undefined || raw === null) return undefined;
  if (isRecord(raw)) return raw;
  problems.add(path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType");
  return undefined;
}

export function url(
  problems: Problems,
  raw: unknown,
  path: Path,
  schemes: readonly string[],
  max = 2048,
): string | undefined {
  const value = text(problems, raw, path, { max });
  if (value === undefined || value === "") return undefined;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(value)?.[1]?.toLowerCase();
  if (scheme === undefined || !schemes.includes(scheme)) {
    const allowed = schemes.map((one) => `'${one}'`).join(", ");
    problems.add(
      path,
      "URL_TYPE_INVALID_SCHEME",
      `Scheme "${scheme ?? ""}" is not supported. Scheme must be one of (${allowed}).`,
    );
    return undefined;
  }
  if (!URL.canParse(value)) {
    problems.add(path, "URL_TYPE_INVALID_URL", "Not a well formed URL.");
    return undefined;
  }
  return value;
}

/** Leaves out what is undefined, so that optional fields are absent rather than null. */
export function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [K in keyof T]: Exclude<T[K], undefined> };
}
