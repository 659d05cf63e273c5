import { ACTORS, type Actor, type ChannelView } from "../protocol.ts";
import { avatarOf } from "./avatar.ts";
import { h, icon, icons } from "./dom.ts";
import { cssColor, type Store } from "./store.ts";

export interface SidebarActions {
  open(channelId: string): void;
  actAs(actor: Actor): void;
  toggleLight(): void;
}

const roleWords: Readonly<Record<Actor, string>> = {
  owner: "Owner",
  moderator: "Moderator",
  member: "Member",
};

/** Guild, channels and threads, direct messages, and below whom one is. */
export function sidebar(store: Store, actions: SidebarActions): readonly HTMLElement[] {
  const { world } = store;
  if (world === undefined) return [h("div", { class: "guild" }, "Connecting…")];
  const isDm = ({ type }: ChannelView) => type === 1;
  const guildChannels = store.channels.filter((channel) => !isDm(channel));
  const dms = store.channels.filter(isDm);
  return [
    h("header", { class: "guild" }, world.guildName),
    h(
      "div",
      { class: "channels" },
      h("h2", {}, "Text channels"),
      ...guildChannels.map((channel) => channelNode(channel, store, actions)),
      dms.length > 0 && h("h2", {}, "Direct messages"),
      ...dms.map((channel) => channelNode(channel, store, actions)),
    ),
    actors(store, actions),
  ];
}

function channelNode(channel: ChannelView, store: Store, actions: SidebarActions): HTMLElement {
  const { id, name, type, archived } = channel;
  if (type === 4) return h("h2", {}, name);
  const isOpen = store.openId === id;
  const unread = store.unread.get(id);
  const isThread = type > 10;
  const classes = [
    "channel",
    isThread && "is-thread",
    isOpen && "is-open",
    unread !== undefined && "is-unread",
  ];
  return h(
    "button",
    {
      type: "button",
      class: classes.filter((one) => one !== false).join(" "),
      "aria-current": isOpen ? "page" : undefined,
      "data-channel": name,
      onclick: () => actions.open(id),
    },
    icon(type === 1 ? icons.at : isThread ? icons.thread : icons.hash),
    h("span", { class: "channel-name" }, name),
    archived && h("small", {}, "archived"),
    unread !== undefined &&
      unread.pings > 0 &&
      h(
        "span",
        { class: "badge", "aria-label": `${unread.pings} mentions` },
        String(Math.min(99, unread.pings)),
      ),
  );
}

function actors(store: Store, actions: SidebarActions): HTMLElement {
  const { world } = store;
  const me = store.person(world?.meId ?? "");
  const name = me?.name ?? "";
  return h(
    "footer",
    { class: "me" },
    h(
      "div",
      { class: "me-row" },
      h("img", { src: avatarOf(name, me?.id ?? "", false), alt: "" }),
      h(
        "div",
        { class: "me-words" },
        h("strong", { style: colorStyle(me?.color) }, name),
        h("small", {}, `acting as ${roleWords[store.actor].toLowerCase()}`),
      ),
      h(
        "button",
        {
          type: "button",
          class: "plain",
          title: "Light or dark",
          "aria-label": "Light or dark",
          onclick: () => actions.toggleLight(),
        },
        icon(icons.sun),
      ),
    ),
    h(
      "div",
      { class: "actors", role: "group", "aria-label": "Act as" },
      ...ACTORS.map((actor) =>
        h(
          "button",
          {
            type: "button",
            class: "actor",
            "aria-pressed": String(store.actor === actor),
            "data-actor": actor,
            title: world?.cast[actor] ?? actor,
            onclick: () => actions.actAs(actor),
          },
          roleWords[actor],
        ),
      ),
    ),
  );
}

function colorStyle(color: number | undefined): string | undefined {
  const css = cssColor(color);
  return css === undefined ? undefined : `color: ${css}`;
}
