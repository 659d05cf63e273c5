/**
 * Checks recorded traffic against Discord's published OpenAPI description: a JSON-schema check of just the
 * keywords that this file uses. Stricter than the file in one thing: a property of an answer that it
 * does not list is reported, else an invented or misspelt field would pass (clients do send more than it lists). Laxer in one: `oneOf` is "at least one", since
 * its alternatives overlap.
 */
import { readFileSync } from "node:fs";

type Schema = Readonly<Record<string, unknown>>;

/** `strict`: unlisted properties are problems; `part`: not on this level (one piece of an allOf); `open`: nowhere. */
type Mode = "strict" | "part" | "open";

export interface Exchanged {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: unknown;
  readonly status: number;
  readonly answer: unknown;
  readonly answerHeaders: Readonly<Record<string, string>>;
}

/** Reads the description; `check` gives everything in an exchange that does not fit, each with its place. */
export class OpenApi {
  readonly #document: Schema;
  readonly #paths: readonly {
    readonly template: string;
    readonly parts: readonly string[];
    readonly item: Schema;
  }[];

  constructor(document: unknown) {
    this.#document = record(document);
    this.#paths = Object.entries(record(this.#document.paths)).map(([template, item]) => ({
      template,
      parts: template.split("/"),
      item: record(item),
    }));
  }

  static read(file: string): OpenApi {
    return new OpenApi(JSON.parse(readFileSync(file, "utf8")));
  }

  check(exchanged: Exchanged): readonly string[] {
    const where = `${exchanged.method} ${exchanged.path} -> ${exchanged.status}`;
    const operation = this.#operation(exchanged.method, exchanged.path);
    if (operation === undefined) return [`${where}: the description has no such route`];
    const problems = [
      ...this.#checkQuery(operation, exchanged.query),
      ...(exchanged.status < 400 ? this.#checkRequest(operation, exchanged.body) : []),
      ...this.#checkAnswer(operation, exchanged),
    ];
    return problems.map((problem) => `${where}: ${problem}`);
  }

  /** What does not fit a schema, each problem with the path to it. */
  problemsOf(schema: unknown, value: unknown, at = ""): readonly string[] {
    return this.#problems(record(schema), value, at, "strict");
  }

  /** The route whose fixed parts fit best: `@me` and `@original` before a parameter. */
  #operation(method: string, path: string): Schema | undefined {
    const given = path.split("/").map(decodeURIComponent);
    const fitting = this.#paths.filter(
      ({ parts }) =>
        parts.length === given.length &&
        parts.every((part, index) => part.startsWith("{") || part === given[index]),
    );
    const fixed = (parts: readonly string[]): number => parts.filter((part) => !part.startsWith("{")).length;
    const best = fitting.sort((a, b) => fixed(b.parts) - fixed(a.parts))[0];
    const operation = best?.item[method.toLowerCase()];
    return operation === undefined ? undefined : record(operation);
  }

  #checkQuery(operation: Schema, query: string): readonly string[] {
    const known = list(operation.parameters)
      .map(record)
      .filter((parameter) => parameter.in === "query");
    return [...new URLSearchParams(query)].flatMap(([name, text]) => {
      const parameter = known.find((one) => one.name === name);
      if (parameter === undefined) return [`query ${name} is not described`];
      const schema = this.#resolve(record(parameter.schema));
      const types = [schema.type].flat();
      const isNumber =
        (types.includes("integer") || types.includes("number")) && /^-?\d+(\.\d+)?$/.test(text);
      const isBoolean = types.includes("boolean") && /^(true|false)$/.test(text);
      return this.#problems(
        schema,
        isNumber ? Number(text) : isBoolean ? text === "true" : text,
        `query ${name}`,
        "strict",
      );
    });
  }

  #checkRequest(operation: Schema, body: unknown): readonly string[] {
    const content = record(record(operation.requestBody ?? {}).content ?? {});
    const described = content["application/json"] ?? content["multipart/form-data"];
    if (described === undefined) return body === undefined ? [] : ["a request body is not described"];
    if (body === undefined)
      return record(operation.requestBody).required === true ? ["the request has no body"] : [];
    const schema = record(record(described).schema);
    return this.#problems(schema, body, "request", "open").filter(
      (problem) => !permissionsAsText.test(problem),
    );
  }

  #checkAnswer(operation: Schema, exchanged: Exchanged): readonly string[] {
    const responses = record(operation.responses);
    const kind = `${String(exchanged.status)[0]}XX`;
    const found = responses[String(exchanged.status)] ?? responses[kind];
    if (found === undefined) return ["an answer with this status is not described"];
    const response = this.#resolve(record(found));
    const headers = exchanged.status < 400 ? this.#checkHeaders(response, exchanged.answerHeaders) : [];
    const described = record(response.content ?? {})["application/json"];
    if (described === undefined)
      return exchanged.answer === undefined ? headers : [...headers, "the answer should be empty"];
    return [
      ...headers,
      ...this.#problems(record(record(described).schema), exchanged.answer, "answer", "strict"),
    ];
  }

  #checkHeaders(response: Schema, given: Readonly<Record<string, string>>): readonly string[] {
    return Object.entries(record(response.headers ?? {})).flatMap(([name, header]) => {
      const text = given[name];
      if (text === undefined) return [`the header ${name} is missing`];
      const schema = record(this.#resolve(record(header)).schema);
      return this.#problems(
        schema,
        schema.type === "string" ? text : Number(text),
        `header ${name}`,
        "strict",
      );
    });
  }

  #resolve(schema: Schema): Schema {
    if (typeof schema.$ref !== "string") return schema;
    let found: unknown = this.#document;
    for (const part of schema.$ref.slice(2).split("/")) found = record(found)[part];
    return this.#resolve(record(found));
  }

  #problems(given: Schema, value: unknown, at: string, mode: Mode): readonly string[] {
    const schema = this.#resolve(given);
    // Discord's description says that the code of one objection is an integer; its documentation and its
    // servers give names such as BASE_TYPE_MAX_LENGTH. The servers win.
    if (typeof given.$ref === "string" && given.$ref.endsWith("/InnerErrors")) return innerErrors(value, at);
    const own = [...typeProblems(schema, value, at), ...boundProblems(schema, value, at)];
    if (own.length > 0) return own;
    return [
      ...this.#combined(schema, value, at, mode),
      ...(Array.isArray(value) ? this.#items(schema, value, at, mode) : []),
      ...(isRecord(value) ? this.#members(schema, value, at, mode) : []),
    ];
  }

  #combined(schema: Schema, value: unknown, at: string, mode: Mode): readonly string[] {
    const all = list(schema.allOf).map(record);
    const problems = all.flatMap((part) =>
      this.#problems(part, value, at, mode === "strict" ? "part" : mode),
    );
    if (all.length > 0 && mode === "strict" && isRecord(value)) {
      const known = new Set(all.flatMap((part) => Object.keys(record(this.#resolve(part).properties ?? {}))));
      const isOpen = all.some((part) => this.#resolve(part).properties === undefined);
      if (!isOpen)
        for (const key of Object.keys(value))
          if (!known.has(key)) problems.push(`${at}.${key} is not described`);
    }
    for (const keyword of ["oneOf", "anyOf"]) {
      const alternatives = list(schema[keyword]).map(record);
      if (alternatives.length === 0) continue;
      const tries = alternatives.map((one) => this.#problems(one, value, at, mode));
      // The nearest miss says most about what is wrong.
      const nearest = tries.reduce((best, one) => (deepest(one) > deepest(best) ? one : best));
      if (tries.every((one) => one.length > 0)) problems.push(...nearest);
    }
    return problems;
  }

  #items(schema: Schema, value: readonly unknown[], at: string, mode: Mode): readonly string[] {
    if (schema.items === undefined) return [];
    return value.flatMap((item, index) =>
      this.#problems(record(schema.items), item, `${at}[${index}]`, mode),
    );
  }

  #members(schema: Schema, value: Schema, at: string, mode: Mode): readonly string[] {
    const properties = record(schema.properties ?? {});
    const inner = mode === "part" ? "strict" : mode;
    const missing = list(schema.required).filter((name) => value[String(name)] === undefined);
    const problems = missing.map((name) => `${at}.${String(name)} is missing`);
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      const known =
        properties[key] ?? (isRecord(schema.additionalProperties) ? schema.additionalProperties : undefined);
      if (known !== undefined) problems.push(...this.#problems(record(known), member, `${at}.${key}`, inner));
      else if (schema.additionalProperties === false || (mode === "strict" && isClosed(schema)))
        problems.push(`${at}.${key} is not described`);
    }
    return problems;
  }
}

/** The description wants an integer there; the documentation says "a string", as 64 bits do not fit a JSON number. */
const permissionsAsText = /\.default_member_permissions is string/;

/** A schema that lists properties and says nothing of others. */
function isClosed(schema: Schema): boolean {
  return schema.properties !== undefined && schema.additionalProperties === undefined;
}

function deepest(problems: readonly string[]): number {
  return problems.length === 0
    ? Infinity
    : Math.max(...problems.map((one) => one.split(/[.[]/).length)) - problems.length / 100;
}

function innerErrors(value: unknown, at: string): readonly string[] {
  const errors = isRecord(value) ? value._errors : undefined;
  if (!Array.isArray(errors) || Object.keys(record(value)).length !== 1)
    return [`${at} is no list of _errors`];
  const good = errors.every(
    (one) => isRecord(one) && typeof one.code === "string" && typeof one.message === "string",
  );
  return good ? [] : [`${at}._errors has an entry without code and message`];
}

function typeProblems(schema: Schema, value: unknown, at: string): readonly string[] {
  const types = [schema.type].flat().filter((type) => type !== undefined);
  if (types.length > 0 && !types.some((type) => isOfType(type, value)))
    return [`${at} is ${kindOf(value)}, not ${types.join(" or ")}`];
  if (schema.const !== undefined && schema.const !== value)
    return [`${at} is ${String(value)}, not ${String(schema.const)}`];
  if (Array.isArray(schema.enum) && !schema.enum.includes(value))
    return [`${at} is ${String(value)}, none of ${schema.enum.join(", ")}`];
  return [];
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    default:
      return typeof value === type;
  }
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  "date-time": (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text),
  uri: (text) => URL.canParse(text),
  snowflake: (text) => /^(0|[1-9][0-9]*)$/.test(text),
};

function boundProblems(schema: Schema, value: unknown, at: string): readonly string[] {
  const problems: string[] = [];
  const within = (size: number, min: unknown, max: unknown, what: string): void => {
    if (typeof min === "number" && size < min) problems.push(`${at} has ${what} ${size}, less than ${min}`);
    if (typeof max === "number" && size > max) problems.push(`${at} has ${what} ${size}, more than ${max}`);
  };
  if (typeof value === "string") {
    within([...value].length, schema.minLength, schema.maxLength, "length");
    if (typeof schema.pattern === "string" && !new RegExp(schema.pattern, "u").test(value))
      problems.push(`${at} does not match ${schema.pattern}`);
    const format = formats[String(schema.format)];
    if (format !== undefined && !format(value))
      problems.push(`${at} is no ${String(schema.format)}: ${value}`);
  }
  if (typeof value === "number") {
    within(value, schema.minimum, schema.maximum, "value");
    if (schema.format === "int32") within(value, -(2 ** 31), 2 ** 31 - 1, "value");
  }
  if (Array.isArray(value)) {
    within(value.length, schema.minItems, schema.maxItems, "length");
    if (schema.uniqueItems === true && new Set(value.map((one) => JSON.stringify(one))).size < value.length)
      problems.push(`${at} has equal items`);
  }
  if (isRecord(value)) within(Object.keys(value).length, schema.minProperties, schema.maxProperties, "size");
  return problems;
}

function isRecord(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function record(value: unknown): Schema {
  return isRecord(value) ? value : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
