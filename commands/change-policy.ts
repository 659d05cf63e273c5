import type { Reply } from "../src/discord/command.ts";
import { inlineName } from "../src/discord/render/escape.ts";
import type { Services } from "../src/discord/services.ts";
import { type Escaped, joined, md } from "../src/domain/escaped.ts";
import { type Actor, type Binding, EMPTY_POLICY, type StaffPolicy } from "../src/domain/guild.ts";

/** Changes who may run what on one linked server. */
export async function changePolicy(
  services: Services,
  { actor, binding }: { readonly actor: Actor; readonly binding: Pick<Binding, "id"> },
  edit: (policy: StaffPolicy) => StaffPolicy,
): Promise<void> {
  await services.settings.change(actor.guildId, (settings) => {
    const policy = edit(settings.policies[binding.id] ?? EMPTY_POLICY);
    return { ...settings, policies: { ...settings.policies, [binding.id]: policy } };
  });
}

/** The answer after such a change; `below`: lines that follow. */
export function policyChanged(binding: Binding, words: Escaped, below: readonly Escaped[] = []): Reply {
  return { content: joined([md`✅ On **${inlineName(binding.name)}**: ${words}`, ...below], "\n") };
}
