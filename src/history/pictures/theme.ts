import type { PictureLook } from "../../domain/picture-look.ts";

/** The colours of pictures. Each has its own background, so that it is readable whatever lies around it. */
export interface Theme {
  readonly background: string;
  readonly text: string;
  readonly faint: string;
  readonly line: string;
  readonly players: string;
  readonly playersArea: string;
  readonly staff: string;
  /** Few to many; the lightness alone tells them apart. */
  readonly scale: readonly string[];
  readonly mark: string;
}

export const THEMES: Readonly<Record<PictureLook, Theme>> = {
  dark: {
    background: "#1e1f22",
    text: "#f2f3f5",
    faint: "#b5bac1",
    line: "#3f4147",
    players: "#5aa9ff",
    playersArea: "rgba(90,169,255,0.28)",
    staff: "#ffb454",
    scale: ["#26292f", "#1f4c7a", "#2f7fd0", "#7cc0ff", "#e6f4ff"],
    mark: "#ff7a45",
  },
  light: {
    background: "#ffffff",
    text: "#1f2126",
    faint: "#4e5058",
    line: "#d9dbe0",
    players: "#1f6fc4",
    playersArea: "rgba(31,111,196,0.20)",
    staff: "#a85a00",
    scale: ["#f0f2f5", "#c2dcf7", "#7db4ea", "#2f7fd0", "#0b3f7a"],
    mark: "#c2410c",
  },
};

/** As wide as an embed shows a picture on a desk. A phone of 390 points shows it at about seven tenths of that. */
export const WIDTH = 400;
export const HEIGHT = 280;
export const FONT = "Inter";
/** Sizes that are read at seven tenths. */
export const TITLE_SIZE = 18;
export const TEXT_SIZE = 15;
export const SMALL_SIZE = 14;
