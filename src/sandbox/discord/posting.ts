/** Turning the form of a message into a message, for channels and for answers of interactions. */
import type { MessageChange, MessageFields, MessageState } from "./message.ts";
import { countPings } from "./pings.ts";
import type { Attachment, Channel, Pings } from "./types.ts";
import type { MessageForm } from "./validate-message.ts";
import type { Embed, EmbedImage } from "./wire.ts";
import type { World } from "./world.ts";

/** What a new message of the bot consists of; `pings` is counted here, on creation. */
export function contentsOf(
  world: World,
  channel: Channel,
  form: MessageForm,
): Pick<MessageFields, "content" | "embeds" | "components" | "attachments" | "pings" | "nonce"> {
  const uploaded = storeFiles(world, channel, form);
  const { embeds, used } = resolveImages(form.embeds ?? [], uploaded);
  return {
    content: form.content ?? "",
    embeds,
    components: form.components ?? [],
    attachments: uploaded.filter((file) => !used.has(file.id)),
    pings: pingsOf(world, channel, form),
    nonce: form.nonce,
  };
}

/** What an edit changes. Files that `attachments` does not list are dropped; without it all stay. */
export function changeOf(world: World, message: MessageState, form: MessageForm): MessageChange {
  const uploaded = storeFiles(world, message.channel, form);
  const listed = form.attachments;
  const kept = message.attachments.filter((file) => listed?.some((one) => one.id === file.id) ?? true);
  const files = [...kept, ...uploaded];
  const resolved = form.embeds === undefined ? undefined : resolveImages(form.embeds, files);
  return {
    content: form.content,
    embeds: resolved?.embeds,
    components: form.components,
    attachments: files.filter((file) => !(resolved?.used.has(file.id) ?? false)),
    flags: form.flags,
  };
}

/** An edit must leave something to show. */
export function leavesNothing(message: MessageState, change: MessageChange): boolean {
  const content = change.content ?? message.content;
  const embeds = change.embeds ?? message.embeds;
  const attachments = change.attachments ?? message.attachments;
  return content === "" && embeds.length === 0 && attachments.length === 0;
}

export function pingsOf(world: World, channel: Channel, form: MessageForm): Pings {
  return countPings(form.content ?? "", form.allowedMentions, {
    channel,
    mayMentionAll: channel.guild?.bot.may("MentionEveryone", channel) ?? false,
    isUser: (id) => world.users.has(id),
  });
}

function storeFiles(world: World, channel: Channel, form: MessageForm): readonly Attachment[] {
  return form.files.map((file) => {
    const id = world.mint();
    // Discord keeps letters, digits and a few signs of a name.
    const filename = file.filename.replace(/[^\w.-]+/g, "_");
    const attachment: Attachment = {
      id,
      filename,
      description: form.attachments?.find((one) => one.id === file.index)?.description,
      contentType: file.contentType,
      size: file.bytes.byteLength,
      url: `${world.baseUrl}/attachments/${channel.id}/${id}/${filename}`,
      bytes: file.bytes,
    };
    world.files.set(id, attachment);
    return attachment;
  });
}

/** `attachment://name` in an embed becomes the file's address, and the file is no longer listed by itself. */
function resolveImages(
  embeds: readonly Embed[],
  files: readonly Attachment[],
): { readonly embeds: readonly Embed[]; readonly used: ReadonlySet<string> } {
  const used = new Set<string>();
  const resolve = (image: EmbedImage): EmbedImage => {
    const name = /^attachment:\/\/(.+)$/.exec(image.url)?.[1];
    const file = files.find((one) => one.filename === name);
    if (file === undefined) return image;
    used.add(file.id);
    return { ...image, url: file.url, content_type: file.contentType };
  };
  const resolved = embeds.map((embed) => ({
    ...embed,
    ...(embed.image === undefined ? {} : { image: resolve(embed.image) }),
    ...(embed.thumbnail === undefined ? {} : { thumbnail: resolve(embed.thumbnail) }),
  }));
  return { embeds: resolved, used };
}
