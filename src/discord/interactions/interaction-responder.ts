import {
  DiscordAPIError,
  type Interaction,
  InteractionResponseType,
  MessageFlags,
  type RawFile,
  Routes,
} from "discord.js";
import { composeEdit, composePrivateAnswer } from "../messages/compose.ts";
import { composeForm } from "../messages/compose-form.ts";
import { isPage } from "../messages/sink.ts";
import type { AnswerRests } from "./answer-rests.ts";
import { type AnswerRefusal, AnswerRefused, type InteractionResponder, TOKEN_LIVES_MS } from "./incoming.ts";
import { sendFirstAnswer } from "./retry-answers.ts";

type Handle = Pick<Interaction, "id" | "token" | "applicationId" | "createdTimestamp">;

/** The ways to answer one interaction, over REST. discord.js's own are not used: they cache every message. */
export function createInteractionResponder(
  { later, callbacks }: AnswerRests,
  { id, token, applicationId, createdTimestamp }: Handle,
): InteractionResponder {
  const call = (type: InteractionResponseType, data?: object, files: RawFile[] = []) =>
    sendFirstAnswer(() => send(type, data, files));
  const send = (type: InteractionResponseType, data: object | undefined, files: RawFile[]) =>
    asAnswerRefused(async () => {
      await callbacks.post(Routes.interactionCallback(id, token), {
        body: data === undefined ? { type } : { type, data },
        files,
        auth: false,
      });
    });
  return {
    place: { applicationId, token, untilMs: createdTimestamp + TOKEN_LIVES_MS },
    async defer(first) {
      if (first === "update") await call(InteractionResponseType.DeferredMessageUpdate);
      else {
        const flags = first === "ephemeral" ? { flags: MessageFlags.Ephemeral } : {};
        await call(InteractionResponseType.DeferredChannelMessageWithSource, flags);
      }
    },
    async form(form) {
      await call(InteractionResponseType.Modal, composeForm(form));
    },
    async replyPrivately(body) {
      const payload = composePrivateAnswer(body);
      await call(InteractionResponseType.ChannelMessageWithSource, payload.body, payload.files);
    },
    async choices(choices) {
      await call(InteractionResponseType.ApplicationCommandAutocompleteResult, { choices });
    },
    async edit(body, target) {
      const payload = composeEdit(body);
      await asAnswerRefused(() =>
        later.patch(Routes.webhookMessage(applicationId, token, target), { ...payload, auth: false }),
      );
    },
    async remove() {
      await asAnswerRefused(() =>
        later.delete(Routes.webhookMessage(applicationId, token, "@original"), { auth: false }),
      );
    },
    async followUpPrivately(body) {
      const payload = composePrivateAnswer(body);
      const sent = await asAnswerRefused(() =>
        later.post(Routes.webhook(applicationId, token), {
          ...payload,
          query: new URLSearchParams({ wait: "true" }),
          auth: false,
        }),
      );
      return messageId(sent);
    },
  };
}

function messageId(sent: unknown): string {
  if (typeof sent === "object" && sent !== null && "id" in sent && typeof sent.id === "string")
    return sent.id;
  throw new AnswerRefused("unknown", "Discord answered a follow-up without a message");
}

/**
 * 10062 unknown interaction, 50027 and 10015 the token's end, 40060 answered already, 10008 message deleted, 10003 its channel,
 * 50083 and 160005 its thread closed, 200000 and 240000 its words.
 */
const REFUSAL_OF_CODE: Readonly<Record<string, AnswerRefusal>> = {
  10062: "late",
  50027: "late",
  10015: "late",
  40060: "taken",
  10008: "gone",
  10003: "gone",
  50083: "closed",
  160005: "closed",
  50035: "form",
  50006: "form",
  200000: "words",
  240000: "words",
};

/** Runs what Discord may refuse; rejects with AnswerRefused. */
export async function asAnswerRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The error itself is dropped, because its URL holds the interaction's token.
    if (error instanceof DiscordAPIError) {
      throw new AnswerRefused(
        REFUSAL_OF_CODE[error.code] ?? (error.status >= 500 || isPage(error) ? "unknown" : "form"),
        error.message,
      );
    }
    throw new AnswerRefused("unknown", error instanceof Error ? error.message : "Discord cannot be reached");
  }
}
