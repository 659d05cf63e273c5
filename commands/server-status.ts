import { defineAction, defineEntry, type Reply } from "../src/discord/command.ts";
import { earlierCard, joinKeyText, statusCard } from "../src/discord/render/server/status.ts";
import type { Services } from "../src/discord/services.ts";
import { Failure } from "../src/domain/failure.ts";
import type { Actor, Binding } from "../src/domain/guild.ts";
import type { Button, Card, Row } from "../src/domain/message.ts";
import type { ListName } from "../src/domain/model.ts";
import { completeServer, serverOption } from "./server-option.ts";
import { serverStates, whyNoState } from "./server-state.ts";

/** `/server status`: one glance, a button that renews it, and the join key for staff on demand. */

/** All that the card shows comes in one answer. */
export const STATUS_LISTS: readonly ListName[] = ["players", "staff", "queue", "modCalls", "emergencyCalls"];

interface StatusArgs {
  readonly server: string | undefined;
}

async function* statusReplies(
  services: Services,
  binding: Binding,
  signal: AbortSignal,
): AsyncGenerator<Reply> {
  // An old card is as old as the last answer; what that answer did not bring is left out.
  const query = { binding, lists: STATUS_LISTS, needed: [], signal };
  try {
    for await (const { state, seen } of serverStates(services, query)) {
      const open = services.modCalls.withoutResolved(binding.id, state);
      const onDuty = services.roster.here(binding.guildId, binding.id, open.lists.players?.value);
      yield { cards: [statusCard(open, seen, onDuty)], rows: [buttons(binding)] };
    }
  } catch (error) {
    const why = whyNoState(services, binding, error);
    const card = why === undefined ? undefined : panelCard(services, binding);
    if (why === undefined || card === undefined) throw error;
    yield { cards: [earlierCard(card, why)], rows: [buttons(binding)] };
  }
}

/** What the newest panel of this server shows: after a restart nothing else is known of it. */
function panelCard({ panels }: Services, { id, guildId }: Binding): Card | undefined {
  const shown = panels.list(guildId).filter(({ bindingId, body }) => bindingId === id && body !== undefined);
  const [newest] = shown.toSorted((a, b) => (b.goodAtMs ?? 0) - (a.goodAtMs ?? 0));
  return newest?.body?.cards?.[0];
}

function buttons({ id }: Binding): Row {
  // Without emojis the three fit one row of a phone.
  const button = (label: string, action: string): Button => ({
    kind: "button",
    style: "secondary",
    label,
    id: `${action}:${id}`,
  });
  return [
    button("Refresh", "server-refresh"),
    button("Players", "server-players"),
    button("Join key", "server-key"),
  ];
}

export const status = defineEntry<StatusArgs>({
  description: "Players, staff, calls and owner at a glance",
  first: "public",
  options: [serverOption],
  parse: (options) => ({ server: options.string("server") }),
  autocomplete: completeServer,
  next: ({ code }, { server }) =>
    code === "unreachable" || code === "platform" || code === "bad-response"
      ? {
          kind: "button",
          style: "primary",
          label: "Try again",
          id: `server-retry:${server ?? ""}`.slice(0, 100),
        }
      : undefined,
  async *execute({ actor, args, signal }, services) {
    yield* statusReplies(services, await services.bindings.pick(actor.guildId, args.server), signal);
  },
});

async function joinKey(actor: Actor, bindingId: string, services: Services): Promise<Reply> {
  const binding = await services.bindings.pick(actor.guildId, bindingId);
  if (!(await services.permissions.isStaff(actor, binding))) {
    throw new Failure("denied", "Only staff of this server can see its join key.", {
      isRead: true,
      wants: "tier",
      bindingId: binding.id,
    });
  }
  const known = services.snapshots.latest(binding.source)?.status;
  return { content: joinKeyText({ name: binding.name, joinKey: (known ?? binding).joinKey }) };
}

export const statusActions = {
  "server-refresh": defineAction({
    first: "update",
    async *execute({ actor, argument, signal }, services) {
      yield* statusReplies(services, await services.bindings.pick(actor.guildId, argument), signal);
    },
  }),
  "server-retry": defineAction({
    first: "update",
    async *execute({ actor, argument, signal }, services) {
      const named = argument === "" ? undefined : argument;
      yield* statusReplies(services, await services.bindings.pick(actor.guildId, named), signal);
    },
  }),
  "server-key": defineAction({
    first: "ephemeral",
    execute: ({ actor, argument }, services) => joinKey(actor, argument, services),
  }),
};
