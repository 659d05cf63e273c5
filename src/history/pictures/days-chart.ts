import type { Picture } from "../../domain/stats.ts";
import { amountAxis, axisLabel, type Chart, frame, namedAxis } from "./frame.ts";
import { FONT, SMALL_SIZE, THEMES } from "./theme.ts";
import { stepWords } from "./time-words.ts";

type DaysPicture = Extract<Picture, { readonly kind: "days" }>;

const HOUR_S = 3_600;
/** More bars leave no room for a number above each. */
const MOST_NUMBERED = 32;

/** One person's hours in the game day by day, with the calls they answered above. Pure. */
export function daysChart({ look, title, zone, days }: DaysPicture): Chart {
  const theme = THEMES[look];
  const words = stepWords(
    zone,
    days.map(({ startS }) => startS),
    "day",
  );
  const hasCalls = days.some(({ callsAnswered }) => callsAnswered > 0);
  return {
    option: {
      ...frame({
        theme,
        title,
        caption:
          hasCalls && days.length <= MOST_NUMBERED ? "Above the bars: calls answered on that day" : undefined,
      }),
      grid: { left: 50, right: 16, top: 54, bottom: hasCalls ? 46 : 30 },
      xAxis: {
        ...namedAxis(theme),
        data: words,
        axisLabel: { ...axisLabel(theme), interval: (at: number) => words[at] !== "" },
      },
      yAxis: { ...amountAxis(theme), axisLabel: { ...axisLabel(theme), formatter: "{value} h" } },
      series: [
        {
          type: "bar",
          data: days.map(({ playedS }) => Math.round((playedS / HOUR_S) * 10) / 10),
          itemStyle: { color: theme.players },
          label: {
            show: days.length <= MOST_NUMBERED,
            position: "top",
            fontFamily: FONT,
            fontSize: SMALL_SIZE,
            color: theme.text,
            formatter: ({ dataIndex }: { readonly dataIndex: number }) =>
              String(days[dataIndex]?.callsAnswered || ""),
          },
        },
      ],
    },
  };
}
