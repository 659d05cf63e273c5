import type { Picture } from "../../domain/stats.ts";
import { amountAxis, axisLabel, type Chart, frame, namedAxis } from "./frame.ts";
import { FONT, TEXT_SIZE, THEMES } from "./theme.ts";
import { stepWords } from "./time-words.ts";

type PlayersPicture = Extract<Picture, { readonly kind: "players" }>;

/** Players and staff hour by hour or day by day. Where nothing is known the lines have a hole. Pure. */
export function playersChart({ look, title, zone, stepKind, steps }: PlayersPicture): Chart {
  const theme = THEMES[look];
  const hasHole = steps.some(({ knownS }) => knownS === 0);
  const words = stepWords(
    zone,
    steps.map(({ startS }) => startS),
    stepKind,
  );
  const peaks = steps.map(({ peak }) => peak ?? null);
  // A line of one or two points is nothing without its points.
  const symbol = steps.length < 4 ? "circle" : "none";
  const base = { type: "line", symbol, connectNulls: false } as const;
  return {
    option: {
      ...frame({
        theme,
        title,
        caption: hasHole ? "Where the lines have a hole nothing was recorded." : undefined,
      }),
      legend: {
        top: 34,
        left: 8,
        itemWidth: 22,
        itemHeight: 10,
        itemGap: 14,
        textStyle: { fontFamily: FONT, fontSize: TEXT_SIZE, color: theme.text },
      },
      grid: { left: 38, right: 14, top: 62, bottom: hasHole ? 46 : 30 },
      xAxis: {
        ...namedAxis(theme),
        boundaryGap: false,
        data: words,
        axisLabel: { ...axisLabel(theme), interval: (at: number) => words[at] !== "" },
      },
      yAxis: { ...amountAxis(theme), minInterval: 1 },
      series: [
        {
          ...base,
          name: "Most players",
          data: peaks,
          lineStyle: { width: 1, type: "dotted", color: theme.faint },
          itemStyle: { color: theme.faint },
        },
        {
          ...base,
          name: "Players",
          data: steps.map(({ players }) => rounded(players)),
          lineStyle: { width: 2, color: theme.players },
          itemStyle: { color: theme.players },
          areaStyle: { color: theme.playersArea },
        },
        {
          ...base,
          name: "Staff",
          data: steps.map(({ staff }) => rounded(staff)),
          lineStyle: { width: 2, type: "dashed", color: theme.staff },
          itemStyle: { color: theme.staff },
        },
      ],
    },
  };
}

function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 10) / 10;
}
