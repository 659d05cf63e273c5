import {
  type APIEmbed,
  type APIMessage,
  DiscordAPIError,
  HTTPError,
  RateLimitError,
  type REST,
  Routes,
} from "discord.js";
import { SinkRefusal, type SinkRefusalReason } from "../../domain/failure.ts";
import type { PostedCard, PostedMessage } from "../../domain/message.ts";
import type { Remover, Sink } from "../../domain/ports/sink.ts";
import { composeEdit, composeMessage } from "./compose.ts";

/** A message as Discord tells it. Bots get all of it, but nothing of ours may fail where a part is left out. */
type Told = Pick<APIMessage, "id" | "author" | "timestamp"> &
  Partial<Pick<APIMessage, "content" | "embeds" | "attachments" | "components">>;

/** What Discord gives at most in one read of a channel's messages. */
const PAGE_MESSAGES = 100;

export interface SinkPorts {
  readonly rest: REST;
  /** The bot's own user id, by which its messages are known. Undefined before the login. */
  ownId(): string | undefined;
  /** Without that permission Discord answers a read with an empty list. Undefined while it is not known. */
  mayReadHistory(channelId: string): Promise<boolean | undefined>;
}

/** Posts on the bot's own account, over REST, because discord.js's channels would need every thread in its cache. */
export function createSink({ rest, ownId, mayReadHistory }: SinkPorts): Sink & Remover {
  async function page(channelId: string, query: Record<string, string>): Promise<readonly Told[]> {
    const found = await asSinkRefusal(() =>
      rest.get(Routes.channelMessages(channelId), {
        query: new URLSearchParams({ limit: String(PAGE_MESSAGES), ...query }),
      }),
    );
    if (!isMessages(found))
      throw new SinkRefusal("unknown", "Discord's list of messages could not be read", {
        request: "answered",
      });
    return found;
  }

  return {
    async send(channelId, message) {
      const { replyToMessageId, ...alone } = message;
      // Discord takes no reply from who may not read what it replies to: the message says the same by itself.
      const isReply = replyToMessageId !== undefined && (await mayReadHistory(channelId)) !== false;
      const payload = composeMessage(isReply ? message : alone);
      const sent = await asSinkRefusal(() => rest.post(Routes.channelMessages(channelId), payload));
      if (!isMessage(sent))
        throw new SinkRefusal("unknown", "Discord took a message and did not name it", {
          request: "answered",
        });
      return isTold(sent) && tellsAll(sent)
        ? { messageId: sent.id, posted: posted(sent) }
        : { messageId: sent.id };
    },

    async edit(channelId, messageId, body) {
      await asSinkRefusal(() => rest.patch(Routes.channelMessage(channelId, messageId), composeEdit(body)));
    },

    async remove(channelId, messageId) {
      await asSinkRefusal(() => rest.delete(Routes.channelMessage(channelId, messageId)));
    },

    async readBack(...[channelId, afterMessageId, limit, nextPage]) {
      const self = ownId();
      if (self === undefined)
        throw new SinkRefusal("unknown", "which messages are ours is known after the login", {
          request: "none",
        });
      const mayRead = await mayReadHistory(channelId);
      if (mayRead === false) {
        throw new SinkRefusal("no-history", "the bot may not read this channel's history");
      }
      const read = afterMessageId === undefined ? readLatest : readAfter;
      let seen = 0;
      let isFirst = true;
      const ask: Page = async (query) => {
        if (!isFirst) await nextPage?.();
        isFirst = false;
        const found = await page(channelId, query);
        seen += found.length;
        return found;
      };
      const own = await read({ page: ask, ownId: self, limit, afterId: afterMessageId ?? "0" });
      if (mayRead === undefined && seen === 0) {
        throw new SinkRefusal("unknown", "an empty channel, or one whose history may not be read", {
          request: "answered",
        });
      }
      return own.map(posted);
    },
  };
}

type Page = (query: Record<string, string>) => Promise<readonly Told[]>;

interface OwnMessages {
  readonly page: Page;
  readonly ownId: string;
  readonly limit: number;
  readonly afterId: string;
}

/** Reads forwards from a message, page by page. */
async function readAfter({ page, ownId, limit, afterId }: OwnMessages): Promise<Told[]> {
  const own: Told[] = [];
  let from = afterId;
  for (;;) {
    const found = [...(await page({ after: from }))].sort(byAge);
    own.push(...found.filter(({ author }) => author.id === ownId));
    from = found.at(-1)?.id ?? from;
    if (found.length < PAGE_MESSAGES || own.length >= limit) return own.slice(0, limit);
  }
}

/** Reads backwards from the end until enough of ours are found; other people's messages may lie between. */
async function readLatest({ page, ownId, limit }: OwnMessages): Promise<Told[]> {
  let own: Told[] = [];
  let before: string | undefined;
  // A message that lies 10 pages back was not posted a moment ago, which is what callers look for.
  for (let pages = 0; pages < 10; pages++) {
    const found = [...(await page(before === undefined ? {} : { before }))].sort(byAge);
    own = [...found.filter(({ author }) => author.id === ownId), ...own];
    before = found[0]?.id;
    if (found.length < PAGE_MESSAGES || own.length >= limit) break;
  }
  return own.slice(-limit);
}

function byAge(a: Told, b: Told): number {
  const [left, right] = [BigInt(a.id), BigInt(b.id)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function posted({ id, content, embeds, attachments, components, timestamp }: Told): PostedMessage {
  return {
    messageId: id,
    content: content ?? "",
    cards: (embeds ?? []).map((embed) => card(withoutNulls(embed))),
    attachmentNames: (attachments ?? []).map(({ filename }) => filename),
    componentIds: (components ?? []).flatMap(idsIn),
    postedAtMs: Date.parse(timestamp),
  };
}

/** The inverse of compose's embed, so that what was sent can be compared with what stands there. */
function card(embed: APIEmbed): PostedCard {
  const { title, url, description, color, footer, author, fields, image } = embed;
  const imageName = image?.url.split("?")[0]?.split("/").at(-1);
  return {
    ...(title === undefined ? {} : { title }),
    ...(url === undefined ? {} : { url }),
    ...(description === undefined ? {} : { description }),
    ...(color === undefined ? {} : { color }),
    ...(footer === undefined ? {} : { footer: footer.text }),
    ...(author === undefined ? {} : { author: author.name }),
    ...(imageName === undefined ? {} : { imageName }),
    ...(fields === undefined || fields.length === 0
      ? {}
      : { fields: fields.map(({ name, value, inline }) => ({ name, value, inline: inline === true })) }),
  };
}

/** Of one row; what is no row of buttons or menus carries no id of ours. */
function idsIn(row: object): readonly string[] {
  const parts: unknown = "components" in row ? row.components : [];
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part: unknown) =>
    typeof part === "object" && part !== null && "custom_id" in part && typeof part.custom_id === "string"
      ? [part.custom_id]
      : [],
  );
}

function withoutNulls(embed: APIEmbed): APIEmbed {
  return Object.fromEntries(Object.entries(embed).filter(([, value]) => value !== null));
}

function isMessage(value: unknown): value is { readonly id: string } {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string";
}

function isMessages(value: unknown): value is readonly Told[] {
  return Array.isArray(value) && value.every(isTold);
}

function isTold(value: unknown): value is Told {
  return isMessage(value) && "author" in value && "timestamp" in value;
}

/** Of one that leaves something out nobody can say whether it is the message that was sent. */
function tellsAll({ content, embeds, attachments, components }: Told): boolean {
  const lists = [embeds, attachments, components];
  return typeof content === "string" && lists.every((list) => Array.isArray(list));
}

/** Discord's codes by what they mean for a delivery. */
const REASON_OF_CODE: Readonly<Record<string, SinkRefusalReason>> = {
  10003: "gone",
  10008: "message-gone",
  50001: "no-access",
  50013: "no-access",
  50083: "closed",
  160005: "closed",
  50007: "dm-closed",
  // They share no Discord server with the bot any more.
  50278: "dm-closed",
  // The account was deleted, or takes no direct messages of bots.
  10013: "dm-closed",
  50033: "dm-closed",
  50035: "form",
  50006: "form",
  // Its words: AutoMod, or a link that Discord calls harmful. The same entries go out as a file.
  200000: "form",
  240000: "form",
  30046: "edit-limit",
  // Somebody published it to other communities: three edits an hour are taken, also of what was posted a minute ago.
  20022: "edit-limit",
};

/** Files that are too large are refused before Discord itself sees them. */
const TOO_LARGE = 413;

/**
 * A page instead of Discord's JSON comes from what stands before Discord: it says nothing about the message, the channel
 * or the answer, and passes.
 */
export function isPage({ rawError, status }: DiscordAPIError): boolean {
  return rawError instanceof ArrayBuffer && status !== TOO_LARGE;
}

/** Runs a request. Rejects with a SinkRefusal for whatever fails. */
export async function asSinkRefusal<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (cause) {
    if (cause instanceof DiscordAPIError) {
      const other = cause.status >= 500 || isPage(cause) ? "unknown" : "rejected";
      throw new SinkRefusal(REASON_OF_CODE[cause.code] ?? other, `Discord: ${cause.message}`, { cause });
    }
    if (cause instanceof RateLimitError) {
      const retryAfterMs = Math.max(cause.retryAfter, cause.sublimitTimeout, cause.timeToReset);
      const [reason, what] =
        cause.method === "PATCH" && !cause.global
          ? (["edit-limit", "Discord asks to wait with edits of old messages"] as const)
          : // An earlier try of this one may have arrived.
            (["unknown", "Discord asks to wait with messages"] as const);
      throw new SinkRefusal(reason, what, { retryAfterMs, cause });
    }
    // rest has tried several times: even when the last connection was refused, an earlier try may have arrived.
    const what =
      cause instanceof HTTPError ? `Discord answered ${cause.status}` : "Discord cannot be reached";
    throw new SinkRefusal("unknown", what, { cause });
  }
}
