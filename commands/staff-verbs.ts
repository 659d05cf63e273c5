import type { Typing } from "../src/discord/command.ts";
import { inlineCode } from "../src/discord/render/escape.ts";
import { meantLines, rightText } from "../src/discord/render/staff-cards.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, md } from "../src/domain/escaped.ts";
import { Failure } from "../src/domain/failure.ts";
import { type Binding, CALLS_RIGHT } from "../src/domain/guild.ts";

/** The subjects of a rule of `/staff`: a verb of the game, or the moderator calls. */

/** The word that stands for the right to take moderator calls where a verb is typed. */
const CALLS_WORD = "calls";

export function completeVerb({ typed }: Typing, { catalogue }: Services) {
  const wanted = typed.replace(/^:+/, "").toLowerCase();
  const calls = { name: "calls · claim and resolve moderator calls", value: CALLS_WORD };
  const verbs = catalogue
    .verbs()
    .filter(({ verb, aliases }) => [verb, ...aliases].some((name) => name.startsWith(wanted)))
    .map(({ verb, does }) => ({ name: `:${verb} · ${does}`, value: verb }));
  return CALLS_WORD.startsWith(wanted) ? [calls, ...verbs] : verbs;
}

/** The verb as the policy stores it; one that the catalogue does not know is stored as typed. */
export function canonicalVerb({ catalogue }: Services, typed: string): string {
  const verb = catalogue.about(typed)?.verb ?? typed.trim().replace(/^:+/, "").toLowerCase();
  if (verb === CALLS_WORD) return CALLS_RIGHT;
  if (!/^\S+$/u.test(verb)) throw new Failure("bad-command", "Give one word, such as kick.");
  return verb;
}

/** `:kick on Riverside`, as it stands in the audit. */
export function ruleText(roleId: string, verb: string, binding: Binding): string {
  return `<@&${roleId}> ${verb === CALLS_RIGHT ? "moderator calls" : `:${verb}`} on ${binding.name}`;
}

/** Of a verb that Marshal does not know: that, and what may have been meant. A rule about it is made all the same. */
export function unknownVerbLines({ catalogue }: Services, verb: string): readonly Escaped[] {
  if (verb === CALLS_RIGHT || catalogue.about(verb) !== undefined) return [];
  const command = `:${verb}`;
  return [
    md`⚠ Marshal doesn't know ${inlineCode(command)}. The game may not either.`,
    ...meantLines(catalogue.nearest(command, () => true)),
  ];
}

export function verbPhrase(verb: string): Escaped {
  return verb === CALLS_RIGHT ? md`take ${rightText(verb)}` : md`run ${rightText(verb)}`;
}
