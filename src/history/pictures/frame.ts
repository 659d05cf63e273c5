import type { EChartsCoreOption } from "echarts/core";
import { FONT, SMALL_SIZE, TEXT_SIZE, type Theme, TITLE_SIZE } from "./theme.ts";

/** What all charts have in common. Pure. */

/** A chart, and how high it is drawn where it is not as high as most. */
export interface Chart {
  readonly option: EChartsCoreOption;
  readonly height?: number;
}

export interface Frame {
  readonly theme: Theme;
  readonly title: string;
  /** Small words at the bottom, which say how the picture is to be read. */
  readonly caption?: string | undefined;
}

/** Background, font, title and caption. */
export function frame({ theme, title, caption }: Frame) {
  const words = { fontFamily: FONT, fontSize: TEXT_SIZE };
  return {
    backgroundColor: theme.background,
    textStyle: { ...words, color: theme.text },
    title: [
      {
        text: title,
        left: 12,
        top: 10,
        padding: 0,
        textStyle: { fontFamily: FONT, fontSize: TITLE_SIZE, fontWeight: 600, color: theme.text },
      },
      ...(caption === undefined
        ? []
        : [
            {
              text: caption,
              left: 12,
              bottom: 8,
              padding: 0,
              textStyle: { ...words, fontSize: SMALL_SIZE, fontWeight: 400, color: theme.faint },
            },
          ]),
    ],
  };
}

/** The words of an axis. */
export function axisLabel(theme: Theme) {
  return { fontFamily: FONT, fontSize: TEXT_SIZE, color: theme.faint, hideOverlap: false };
}

/** An axis of amounts: whole steps, faint lines. */
export function amountAxis(theme: Theme) {
  return {
    type: "value",
    min: 0,
    splitNumber: 3,
    axisLabel: axisLabel(theme),
    splitLine: { lineStyle: { color: theme.line } },
  };
}

/** An axis of times or names. */
export function namedAxis(theme: Theme) {
  return {
    type: "category",
    axisTick: { show: false },
    axisLine: { lineStyle: { color: theme.line } },
    axisLabel: axisLabel(theme),
  };
}
