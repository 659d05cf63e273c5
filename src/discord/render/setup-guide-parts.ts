import type { AlertRule } from "../../domain/alert.ts";
import type { Escaped } from "../../domain/escaped.ts";
import type { Binding, Feed, GuideStep, GuildSettings } from "../../domain/guild.ts";
import type { Button, Row, Select } from "../../domain/message.ts";
import type { KnownPermission, OwnerPage } from "../../domain/ports/command-permission.ts";
import type { TypedTries } from "../../domain/ports/service-client.ts";
import type { AccessOf } from "./channel-access.ts";

/** What the steps of the guided set-up are drawn from. */

export interface GuideView {
  readonly step: GuideStep;
  /** The second page of the logs. */
  readonly more?: boolean;
  /** The server that is set up; undefined while none is linked. */
  readonly binding: Binding | undefined;
  /** Other servers are linked here too, so each step says which one it is about. */
  readonly isOneOfSeveral: boolean;
  readonly settings: GuildSettings;
  /** Of that server, oldest first. */
  readonly feeds: readonly Feed[];
  /** Of that server, oldest first, as the panels are. */
  readonly alerts: readonly AlertRule[];
  readonly panelChannelIds: readonly string[];
  /** Of the weekly summary; undefined: there is none. */
  readonly weeklyChannelId: string | undefined;
  /** For how many days positions are kept, 0: not at all; undefined: the host keeps no history. */
  readonly positionDays: number | undefined;
  readonly cases: { readonly isKept: boolean };
  readonly accessOf: AccessOf;
  /** The highest role of the person who sets it up. */
  readonly ownRole: { readonly id: string; readonly name: string } | undefined;
  /** They hold a tier on that server. */
  readonly mayRun: boolean;
  /** What is known of the owner's permission to run commands, and where they give it; undefined: not this step. */
  readonly permission: KnownPermission;
  readonly ownerPage?: OwnerPage | undefined;
  /** A harmless command would show it, and waits for a yes. */
  readonly isAsked?: boolean;
  /** It is checked again in a moment, so what was known before is not shown. */
  readonly isChecking?: boolean;
  /** The press before was a check. */
  readonly isChecked?: boolean;
  /** Of keys; undefined: not this step. */
  readonly tries?: TypedTries | undefined;
  /** The key that was typed last was none. */
  readonly isKeyWrong?: boolean;
  /** The service refuses the key of the linked server. */
  readonly isKeyRefused?: boolean;
  readonly nowMs: number;
  /** The outcome of the press before. */
  readonly note?: Escaped;
}

/** What a step shows, and what it takes to be done. */
export interface GuidePart {
  readonly title: Escaped;
  /** In the list of steps and on the button that opens it. */
  readonly short: string;
  isDone(view: GuideView): boolean;
  /** It was tried and did not work everywhere, which is not skipping it. */
  isHalfDone?(view: GuideView): boolean;
  /** Not done, and something stands in the way: shown as such, unless it was skipped. */
  isBroken?(view: GuideView): boolean;
  /** Where what is set posts. */
  channelIds?(view: GuideView): readonly string[];
  text(view: GuideView): readonly Escaped[];
  rows(view: GuideView, walk: Walk): readonly Row[];
}

/** The last row: back, what the step offers, next. */
export type Walk = (...between: readonly Button[]) => readonly Button[];

/** A choice of one channel or more, or of none. */
export function channelSelect({
  id,
  placeholder,
  chosen,
}: {
  readonly id: string;
  readonly placeholder: string;
  readonly chosen: readonly string[];
}): Select {
  return {
    kind: "select",
    of: "channel",
    id,
    placeholder,
    minValues: 0,
    maxValues: Math.max(1, chosen.length),
    ...(chosen.length === 0 ? {} : { defaultIds: chosen }),
  };
}

export function button(label: string, id: string, style: "primary" | "secondary" = "secondary"): Button {
  return { kind: "button", style, label, id };
}
