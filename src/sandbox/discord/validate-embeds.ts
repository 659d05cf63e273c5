import type { Path, Problems } from "./errors.ts";
import {
  boolean,
  defined,
  integer,
  isRecord,
  lengthOf,
  list,
  object,
  type Raw,
  required,
  text,
  url,
} from "./form.ts";
import type { Embed, EmbedField } from "./wire.ts";

const linkSchemes = ["http", "https"];
const imageSchemes = ["http", "https", "attachment"];
const maxEmbedCharacters = 6_000;

/** The embeds of a message: at most ten, each within its limits, at most 6,000 characters together. */
export function readEmbeds(problems: Problems, raw: unknown): readonly Embed[] | undefined {
  const items = list(problems, raw, ["embeds"], { max: 10 });
  if (items === undefined) return undefined;
  const embeds = items.map((item, index) => readEmbed(problems, item, ["embeds", index]));
  const total = embeds.reduce((sum, embed) => sum + charactersOf(embed), 0);
  if (total > maxEmbedCharacters)
    problems.add(
      ["embeds"],
      "MAX_EMBED_SIZE_EXCEEDED",
      `Embed size exceeds maximum size of ${maxEmbedCharacters}`,
    );
  return embeds;
}

function charactersOf(embed: Embed): number {
  const texts = [embed.title, embed.description, embed.author?.name, embed.footer?.text];
  for (const field of embed.fields ?? []) texts.push(field.name, field.value);
  return texts.reduce((sum, part) => sum + lengthOf(part ?? ""), 0);
}

function readEmbed(problems: Problems, raw: unknown, path: Path): Embed {
  const source = isRecord(raw) ? raw : {};
  if (!isRecord(raw))
    problems.add(path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType");
  const at = (name: string): Path => [...path, name];
  const fields = list(problems, source.fields, at("fields"), { max: 25 })?.map((field, index) =>
    readField(problems, field, [...path, "fields", index]),
  );
  const embed = {
    type: "rich",
    title: text(problems, source.title, at("title"), { max: 256, trim: true }) || undefined,
    description:
      text(problems, source.description, at("description"), { max: 4096, trim: true }) || undefined,
    url: url(problems, source.url, at("url"), linkSchemes),
    color: integer(problems, source.color, at("color"), { min: 0, max: 0xffffff }),
    timestamp: readTimestamp(problems, source.timestamp, at("timestamp")),
    fields: fields === undefined || fields.length === 0 ? undefined : fields,
    author: readAuthor(problems, object(problems, source.author, at("author")), at("author")),
    footer: readFooter(problems, object(problems, source.footer, at("footer")), at("footer")),
    image: readImage(problems, object(problems, source.image, at("image")), at("image")),
    thumbnail: readImage(problems, object(problems, source.thumbnail, at("thumbnail")), at("thumbnail")),
  } as const;
  const shown = [
    embed.title,
    embed.description,
    embed.fields,
    embed.author,
    embed.footer,
    embed.image,
    embed.thumbnail,
  ];
  // An embed with nothing to show is refused with this, Discord's own odd, words.
  if (isRecord(raw) && !problems.any && shown.every((part) => part === undefined))
    required(problems, at("description"));
  return defined(embed);
}

function readField(problems: Problems, raw: unknown, path: Path): EmbedField {
  const source = isRecord(raw) ? raw : {};
  return {
    name: text(problems, source.name, [...path, "name"], { max: 256, required: true, trim: true }) ?? "",
    value: text(problems, source.value, [...path, "value"], { max: 1024, required: true, trim: true }) ?? "",
    inline: boolean(problems, source.inline, [...path, "inline"]) ?? false,
  };
}

function readAuthor(problems: Problems, raw: Raw | undefined, path: Path): Embed["author"] {
  if (raw === undefined) return undefined;
  return defined({
    name: text(problems, raw.name, [...path, "name"], { max: 256, required: true, trim: true }) ?? "",
    url: url(problems, raw.url, [...path, "url"], linkSchemes),
    icon_url: url(problems, raw.icon_url, [...path, "icon_url"], imageSchemes),
  });
}

function readFooter(problems: Problems, raw: Raw | undefined, path: Path): Embed["footer"] {
  if (raw === undefined) return undefined;
  return defined({
    text: text(problems, raw.text, [...path, "text"], { max: 2048, required: true, trim: true }) ?? "",
    icon_url: url(problems, raw.icon_url, [...path, "icon_url"], imageSchemes),
  });
}

function readImage(problems: Problems, raw: Raw | undefined, path: Path): Embed["image"] {
  if (raw === undefined) return undefined;
  if (raw.url === undefined || raw.url === null) {
    required(problems, [...path, "url"]);
    return undefined;
  }
  return defined({
    url: url(problems, raw.url, [...path, "url"], imageSchemes) ?? "",
    description: text(problems, raw.description, [...path, "description"], { max: 1024 }) || undefined,
  });
}

function readTimestamp(problems: Problems, raw: unknown, path: Path): string | undefined {
  if (raw === undefined || raw === null) return undefined;
  const time = typeof raw === "string" || typeof raw === "number" ? new Date(raw).getTime() : Number.NaN;
  if (Number.isNaN(time)) {
    problems.add(path, "DATE_TIME_TYPE_PARSE", `Could not parse ${String(raw)}. Should be ISO8601.`);
    return undefined;
  }
  return isoTime(time);
}

/** Times as Discord writes them: microseconds and an offset. */
export function isoTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000+00:00`;
}
