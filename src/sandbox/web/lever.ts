import type { LeverView } from "./panel-view.ts";

/** Something that a person can do by a button of the panel. */
export interface Lever {
  readonly id: string;
  readonly group: LeverView["group"];
  readonly label: string;
  readonly hint: string;
  readonly isFault: boolean;
  /** Returns what happened, for the log. */
  pull(): string | Promise<string>;
  isOn?(): boolean;
  isDisabled?(): boolean;
}
