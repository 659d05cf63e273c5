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
  const base = {
    type: "line",
    symbol: "circle",
    symbolSize: 5,
    showAllSymbol: true,
    connectNulls: false,
  } as const;
  return {
    option: {
      ...frame({
        theme,
        title,
        caption: hasHole ? "Gaps: nothing was recorded." : undefined,
      }),
      legend: {
        top: 38,
        left: 8,
        itemWidth: 22,
        itemHeight: 10,
        itemGap: 12,
        textStyle: { fontFamily: FONT, fontSize: TEXT_SIZE, color: theme.text },
      },
      grid: { left: 42, right: 18, top: 68, bottom: hasHole ? 54 : 34 },
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
          data: withPoints(peaks),
          lineStyle: { width: 1, type: "dotted", color: theme.faint },
          itemStyle: { color: theme.faint },
        },
        {
          ...base,
          name: "Players",
          data: withPoints(steps.map(({ players }) => rounded(players))),
          lineStyle: { width: 2, color: theme.players },
          itemStyle: { color: theme.players },
          areaStyle: { color: theme.playersArea },
        },
        {
          ...base,
          name: "Staff",
          data: withPoints(steps.map(({ staff }) => rounded(staff))),
          lineStyle: { width: 2, type: "dashed", color: theme.staff },
          itemStyle: { color: theme.staff },
        },
      ],
    },
  };
}

/** A line of one point, between two holes, is nothing without that point. */
function withPoints(values: readonly (number | null)[]) {
  const isHole = (at: number) => (values[at] ?? null) === null;
  return values.map((value, at) => (isHole(at - 1) && isHole(at + 1) ? value : { value, symbol: "none" }));
}

function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 10) / 10;
}
