import type { Press, Reply } from "../src/discord/command.ts";
import { failureNote } from "../src/discord/render/errors.ts";
import { inlineCode } from "../src/discord/render/escape.ts";
import { feedsBackLine } from "../src/discord/render/setup-cards.ts";
import { isThisAKey, isThisYours } from "../src/discord/render/setup-key-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, joined, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor } from "../src/domain/guild.ts";
import { guideAt, resumeGuide } from "./setup-guide.ts";
import { linkPending, type ReadKey, readOddKey, readPastedKey, typedTries } from "./setup-link.ts";

/** The guided set-up's first step: a key is typed, asked about, and linked. What goes wrong leaves the step open. */

/** The form with the key, submitted. */
export async function onKeyTyped({ actor, form }: Press, services: Services): Promise<Reply> {
  const pasted = form.text("key");
  return await guided(services, actor, () => readPastedKey({ actor, pasted, roleIds: [] }, services));
}

/** `guide-odd:PENDING`: it is a key all the same, they say. */
export async function onOddKeyTyped({ actor, argument }: Press, services: Services): Promise<Reply> {
  return await guided(services, actor, () => readOddKey(argument, actor, services));
}

async function guided(services: Services, actor: Actor, read: () => Promise<ReadKey>): Promise<Reply> {
  try {
    return question(await read());
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return await linkStep(services, actor, failureNote(error));
  }
}

function question(read: ReadKey): Reply {
  const no = `guide-no:${read.pendingId}`;
  if (read.kind === "odd") {
    const ids = { yes: `guide-odd:${read.pendingId}`, again: "guide-key", no };
    return isThisAKey({ tries: read.tries, ids });
  }
  return isThisYours({ ...read, roleIds: [], ids: { yes: `guide-yes:${read.pendingId}`, no } });
}

export async function onLinkConfirmed({ actor, argument }: Press, services: Services): Promise<Reply> {
  try {
    const linked = await linkPending(argument, actor, services);
    const { binding, replaced, hadCommands } = linked;
    const bindingId = binding.id;
    const back = feedsBackLine(linked);
    if (replaced) {
      const note = joined([md`✅ Key replaced. Its staff, feeds and records stay.`, ...back], "\n");
      return await guideAt(services, actor, { step: "done", bindingId, hadCommands, note });
    }
    const end = binding.keyEnd === undefined ? "" : md` Its key ends in ${inlineCode(binding.keyEnd)}.`;
    const note = joined([md`✅ Linked.${end}`, ...back], "\n");
    return await guideAt(services, actor, { step: "staff", bindingId, note });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code !== "expired") return await linkStep(services, actor, failureNote(error));
    // Pressed twice: the first press has led on.
    const { guide } = await services.settings.of(actor.guildId);
    if (guide !== undefined && guide.step !== "link") return await resumeGuide(services, actor);
    // After a restart, or too late: the step is still there, only the key has to be pasted once more.
    return await linkStep(services, actor, md`⚠ I no longer have that key. Paste it again.`);
  }
}

export async function onLinkDeclined({ actor, argument }: Press, services: Services): Promise<Reply> {
  const declined = services.pendingLinks.take(argument, actor);
  if (declined === undefined) return await resumeGuide(services, actor);
  const note = md`Nothing was saved, and the key is forgotten.`;
  return await guideAt(services, actor, { step: "link", bindingId: "", note });
}

async function linkStep(services: Services, actor: Actor, note: Escaped): Promise<Reply> {
  // The step says then itself that no key can be tried, and until when.
  const said = typedTries(actor.guildId, services).left === 0 ? {} : { note };
  return await guideAt(services, actor, { step: "link", bindingId: "", isKeyWrong: true, ...said });
}
