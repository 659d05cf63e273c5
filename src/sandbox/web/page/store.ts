import type { PanelView } from "../panel-view.ts";
import type { Actor, ChannelView, CommandView, PersonView, RoleView, WorldView } from "../protocol.ts";

/** What the page knows of the world. */
export class Store {
  world: WorldView | undefined;
  openId: string | undefined;
  commands: readonly CommandView[] = [];
  panel: PanelView | undefined;
  readonly unread = new Map<string, { readonly pings: number }>();
  actor: Actor = "owner";

  get channels(): readonly ChannelView[] {
    return this.world?.channels ?? [];
  }

  get open(): ChannelView | undefined {
    return this.channel(this.openId ?? "");
  }

  channel(id: string): ChannelView | undefined {
    return this.channels.find((one) => one.id === id);
  }

  role(id: string): RoleView | undefined {
    return this.world?.roles.find((one) => one.id === id);
  }

  person(id: string): PersonView | undefined {
    return this.world?.people.find((one) => one.id === id);
  }
}

/** `#3ba55d`; undefined for no colour. */
export function cssColor(color: number | undefined): string | undefined {
  return color === undefined || color === 0 ? undefined : `#${color.toString(16).padStart(6, "0")}`;
}
