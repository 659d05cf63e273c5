import { ChannelType, DiscordAPIError, type REST, RESTJSONErrorCodes, Routes } from "discord.js";
import { Failure } from "../../domain/failure.ts";
import type { PrivateThreads } from "../../domain/ports/appeals.ts";
import { isPage } from "./sink.ts";

/** A week without a message, and Discord puts it into the archive. */
const ARCHIVED_AFTER_MIN = 10_080;

/** Private threads over REST. Only who was added sees them, and who may manage threads. */
export function createPrivateThreads(rest: REST, ownId: () => string | undefined): PrivateThreads {
  return {
    open({ guildId, channelId, name, mayExist }) {
      return asFailure(async () => {
        const before = mayExist
          ? await find(rest, { guildId, channelId, name, ownerId: ownId() })
          : undefined;
        if (before !== undefined) return before;
        const body = {
          name,
          type: ChannelType.PrivateThread,
          invitable: false,
          auto_archive_duration: ARCHIVED_AFTER_MIN,
        };
        return idOf(await rest.post(Routes.threads(channelId), { body }));
      });
    },
    add(threadId, userId) {
      const add = () => rest.put(Routes.threadMembers(threadId, userId));
      return asFailure(async () => {
        try {
          await add().catch(async (error: unknown) => {
            if (codeOf(error) !== RESTJSONErrorCodes.InvalidActionOnArchivedThread) throw error;
            await rest.patch(Routes.channel(threadId), { body: { archived: false } });
            await add();
          });
          return "added";
        } catch (error) {
          const code = codeOf(error);
          if (code === RESTJSONErrorCodes.UnknownChannel) return "no-thread";
          if (code === RESTJSONErrorCodes.UnknownMember || code === RESTJSONErrorCodes.UnknownUser)
            return "no-member";
          throw error;
        }
      });
    },
  };
}

async function find(
  rest: REST,
  wanted: {
    readonly guildId: string;
    readonly channelId: string;
    readonly name: string;
    readonly ownerId?: string | undefined;
  },
): Promise<string | undefined> {
  const answer = (await rest.get(Routes.guildActiveThreads(wanted.guildId))) as {
    readonly threads?: readonly {
      readonly id: string;
      readonly name?: string;
      readonly parent_id?: string;
      readonly owner_id?: string;
    }[];
  };
  return answer.threads?.find(
    (thread) =>
      thread.name === wanted.name &&
      thread.parent_id === wanted.channelId &&
      thread.owner_id === wanted.ownerId,
  )?.id;
}

function idOf(channel: unknown): string {
  if (typeof channel === "object" && channel !== null && "id" in channel && typeof channel.id === "string")
    return channel.id;
  throw new Failure("paused", "Discord opened no thread. Try again.");
}

function codeOf(error: unknown): unknown {
  return error instanceof DiscordAPIError ? error.code : undefined;
}

async function asFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Failure ? error : notOpened(error);
  }
}

function notOpened(cause: unknown): Failure {
  // What is no answer of Discord's own, such as its 5xx, says nothing about the thread.
  if (!(cause instanceof DiscordAPIError) || isPage(cause))
    return new Failure("paused", "Discord can't open threads right now. Try again.", { cause });
  if (cause.code === RESTJSONErrorCodes.MaximumActiveThreads)
    return new Failure(
      "bad-command",
      "This Discord server has as many open threads as Discord allows. Close some, or decide without a talk.",
      { cause },
    );
  return new Failure(
    "bad-command",
    "I can't open a private thread where the appeal button is. I need Create Private Threads and Send Messages in Threads there, and it can't be a thread itself.",
    { cause },
  );
}
