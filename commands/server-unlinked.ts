import { defineEntry } from "../src/discord/command.ts";
import { unlinkedPage } from "../src/discord/render/server/unlinked.ts";
import { Failure } from "../src/domain/failure.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { serverStates } from "./server-state.ts";
import { isManager } from "./staff-rights.ts";

/** `/server unlinked`: who plays and is not known, so that rules and ranks leave them alone. */
export const unlinked = defineEntry<{ readonly server: string | undefined }>({
  description: "Players who are not linked to a member here (staff)",
  first: "ephemeral",
  options: [serverOption],
  parse: (options) => ({ server: options.string("server") }),
  autocomplete: completeServer,
  async *execute({ actor, args, signal }, services) {
    const binding = await services.bindings.pick(actor.guildId, args.server);
    const isStaff = await services.permissions.isStaff(actor, binding);
    if (!isStaff && !(await isManager(services, actor)))
      throw new Failure("denied", "Only staff can see who is not linked.", { wants: "tier", isRead: true });
    const linked = await services.accounts.byPlayer(actor.guildId);
    for await (const { state, seen } of serverStates(services, { binding, lists: ["players"], signal }))
      yield unlinkedPage({ state, players: state.lists.players?.value ?? [], linked, seen });
  },
});
