import type { Path, Problems } from "./errors.ts";
import { boolean, defined, integer, isRecord, list, object, type Raw, required, text, url } from "./form.ts";
import type { Component, Emoji, SelectOption } from "./wire.ts";

const selectTypes = [3, 5, 6, 7, 8];

/** Gives components their ids and watches that custom ids are unique within one message or modal. */
class Numbering {
  #next = 1;
  readonly #customIds = new Set<string>();
  readonly #problems: Problems;

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  id(raw: Raw, path: Path): number {
    const given = integer(this.#problems, raw.id, [...path, "id"], { min: 0, max: 2 ** 31 - 1 });
    return given === undefined || given === 0 ? this.#next++ : given;
  }

  customId(raw: unknown, path: Path): string {
    const id = text(this.#problems, raw, path, { min: 1, max: 100, required: true });
    if (id === undefined) return "";
    if (this.#customIds.has(id))
      this.#problems.add(path, "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated");
    this.#customIds.add(id);
    return id;
  }
}

/** The action rows of a message: at most five, each with up to five buttons or one select. */
export function readMessageComponents(problems: Problems, raw: unknown): readonly Component[] | undefined {
  const rows = list(problems, raw, ["components"], { max: 5 });
  if (rows === undefined) return undefined;
  const numbering = new Numbering(problems);
  return rows.map((row, index) => readRow(problems, numbering, row, ["components", index]));
}

function readRow(problems: Problems, numbering: Numbering, raw: unknown, path: Path): Component {
  const source = typed(problems, raw, path, [1]);
  const id = numbering.id(source, path);
  const items = list(problems, source.components, [...path, "components"], { min: 1, max: 5 }) ?? [];
  if (source.components === undefined) required(problems, [...path, "components"]);
  const components = items.map((item, index) => {
    const at = [...path, "components", index];
    const child = typed(problems, item, at, [2, ...selectTypes]);
    return child.type === 2
      ? readButton(problems, numbering, child, at)
      : readSelect(problems, numbering, child, at);
  });
  if (components.length > 1 && components.some((one) => one.type !== 2))
    problems.add(
      path,
      "COMPONENT_LAYOUT_WIDTH_EXCEEDED",
      "The specified component exceeds the maximum width",
    );
  return { type: 1, id, components };
}

function typed(problems: Problems, raw: unknown, path: Path, allowed: readonly number[]): Raw {
  const source = object(problems, raw, path) ?? {};
  if (typeof source.type !== "number" || !allowed.includes(source.type)) {
    const choices = allowed.join(", ");
    problems.add(
      [...path, "type"],
      "UNION_TYPE_CHOICES",
      `Value of field "type" must be one of (${choices}).`,
    );
  }
  return source;
}

function readButton(problems: Problems, numbering: Numbering, raw: Raw, path: Path): Component {
  const style = integer(problems, raw.style, [...path, "style"], { min: 1, max: 6, required: true }) ?? 0;
  const label = text(problems, raw.label, [...path, "label"], { max: 80 });
  const emoji = readEmoji(problems, raw.emoji, [...path, "emoji"]);
  if ((label === undefined || label === "") && emoji === undefined)
    problems.add(path, "BUTTON_COMPONENT_INVALID_LABEL", "A button must have a label or an emoji");
  const isLink = style === 5;
  if (isLink && raw.url === undefined) required(problems, [...path, "url"]);
  if (isLink && raw.custom_id !== undefined)
    problems.add(
      path,
      "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE",
      "A custom id and url cannot both be specified",
    );
  return defined({
    type: 2,
    id: numbering.id(raw, path),
    style,
    label,
    emoji,
    disabled: boolean(problems, raw.disabled, [...path, "disabled"]),
    url: isLink ? url(problems, raw.url, [...path, "url"], ["http", "https", "discord"], 512) : undefined,
    custom_id: isLink ? undefined : numbering.customId(raw.custom_id, [...path, "custom_id"]),
  });
}

function readEmoji(problems: Problems, raw: unknown, path: Path): Emoji | undefined {
  const source = object(problems, raw, path);
  if (source === undefined) return undefined;
  return defined({
    id: typeof source.id === "string" ? source.id : undefined,
    name: text(problems, source.name, [...path, "name"], { max: 32 }) ?? "",
    animated: source.animated === true ? true : undefined,
  });
}

function readSelect(problems: Problems, numbering: Numbering, raw: Raw, path: Path): Component {
  const at = (name: string): Path => [...path, name];
  const type = typeof raw.type === "number" ? raw.type : 3;
  const min = integer(problems, raw.min_values, at("min_values"), { min: 0, max: 25 }) ?? 1;
  const max = integer(problems, raw.max_values, at("max_values"), { min: 1, max: 25 }) ?? 1;
  if (min > max)
    problems.add(
      at("min_values"),
      "SELECT_COMPONENT_MIN_VALUES_EXCEEDS_MAX",
      "min_values may not exceed max_values",
    );
  const options = type === 3 ? readOptions(problems, raw, at("options")) : undefined;
  if (options !== undefined && max > Math.max(1, options.length))
    problems.add(
      at("max_values"),
      "SELECT_COMPONENT_MAX_VALUES_EXCEEDS_OPTIONS",
      "max_values exceeds the number of options",
    );
  const defaults = list(problems, raw.default_values, at("default_values"), { max: 25 })?.filter(isRecord);
  return defined({
    type,
    id: numbering.id(raw, path),
    custom_id: numbering.customId(raw.custom_id, at("custom_id")),
    placeholder: text(problems, raw.placeholder, at("placeholder"), { max: 150 }),
    min_values: min,
    max_values: max,
    disabled: boolean(problems, raw.disabled, at("disabled")),
    required: boolean(problems, raw.required, at("required")),
    options,
    channel_types: type === 8 ? numbers(raw.channel_types) : undefined,
    default_values: defaults?.map((one) => ({ id: String(one.id), type: String(one.type) })),
  });
}

function numbers(raw: unknown): readonly number[] | undefined {
  return Array.isArray(raw) ? raw.filter((one) => typeof one === "number") : undefined;
}

function readOptions(problems: Problems, raw: Raw, path: Path): readonly SelectOption[] {
  if (raw.options === undefined) required(problems, path);
  const seen = new Set<string>();
  return (list(problems, raw.options, path, { min: 1, max: 25 }) ?? []).map((item, index) => {
    const at = (name: string): Path => [...path, index, name];
    const option = isRecord(item) ? item : {};
    const value = text(problems, option.value, at("value"), { min: 1, max: 100, required: true }) ?? "";
    if (value !== "" && seen.has(value))
      problems.add(
        at("value"),
        "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
        "The specified option value is already used",
      );
    seen.add(value);
    return defined({
      label: text(problems, option.label, at("label"), { min: 1, max: 100, required: true }) ?? "",
      value,
      description: text(problems, option.description, at("description"), { max: 100 }),
      emoji: readEmoji(problems, option.emoji, at("emoji")),
      default: boolean(problems, option.default, at("default")),
    });
  });
}

/** The parts of a modal: action rows with one text input, labels (18) with an input or select, text displays (10). */
export function readModalComponents(problems: Problems, raw: unknown, path: Path): readonly Component[] {
  if (raw === undefined) required(problems, path);
  const numbering = new Numbering(problems);
  return (list(problems, raw, path, { min: 1, max: 5 }) ?? []).map((item, index) => {
    const at = [...path, index];
    const source = typed(problems, item, at, [1, 10, 18]);
    if (source.type === 10) return readTextDisplay(problems, numbering, source, at);
    if (source.type === 18) return readLabel(problems, numbering, source, at);
    const id = numbering.id(source, at);
    const inputs = list(problems, source.components, [...at, "components"], { min: 1, max: 1 }) ?? [];
    const components = inputs.map((input, place) => {
      const where = [...at, "components", place];
      return readTextInput(problems, numbering, typed(problems, input, where, [4]), where, true);
    });
    return { type: 1, id, components };
  });
}

function readTextDisplay(problems: Problems, numbering: Numbering, raw: Raw, path: Path): Component {
  const content =
    text(problems, raw.content, [...path, "content"], { min: 1, max: 4000, required: true }) ?? "";
  return { type: 10, id: numbering.id(raw, path), content };
}

function readLabel(problems: Problems, numbering: Numbering, raw: Raw, path: Path): Component {
  const at = [...path, "component"];
  const id = numbering.id(raw, path);
  if (raw.component === undefined) required(problems, at);
  const child = typed(problems, raw.component, at, [4, ...selectTypes]);
  return defined({
    type: 18,
    id,
    label: text(problems, raw.label, [...path, "label"], { min: 1, max: 45, required: true }) ?? "",
    description: text(problems, raw.description, [...path, "description"], { min: 1, max: 100 }),
    component:
      child.type === 4
        ? readTextInput(problems, numbering, child, at, false)
        : readSelect(problems, numbering, child, at),
  });
}

function readTextInput(
  problems: Problems,
  numbering: Numbering,
  raw: Raw,
  path: Path,
  ownLabel: boolean,
): Component {
  const at = (name: string): Path => [...path, name];
  // Inside a label (18) the input has no label of its own.
  if (!ownLabel && raw.label !== undefined && raw.label !== null)
    problems.add(
      at("label"),
      "TEXT_INPUT_LABEL_NOT_ALLOWED",
      "A text input in a label must not have its own label",
    );
  return defined({
    type: 4,
    id: numbering.id(raw, path),
    custom_id: numbering.customId(raw.custom_id, at("custom_id")),
    style: integer(problems, raw.style, at("style"), { min: 1, max: 2, required: true }) ?? 1,
    label: ownLabel ? text(problems, raw.label, at("label"), { min: 1, max: 45, required: true }) : undefined,
    placeholder: text(problems, raw.placeholder, at("placeholder"), { max: 100 }),
    value: text(problems, raw.value, at("value"), { max: 4000 }),
    required: boolean(problems, raw.required, at("required")),
    min_length: integer(problems, raw.min_length, at("min_length"), { min: 0, max: 4000 }),
    max_length: integer(problems, raw.max_length, at("max_length"), { min: 1, max: 4000 }),
  });
}
