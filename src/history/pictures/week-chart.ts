import { type Picture, weekHour } from "../../domain/stats.ts";
import { axisLabel, type Chart, frame, namedAxis } from "./frame.ts";
import { THEMES } from "./theme.ts";
import { WEEKDAYS } from "./time-words.ts";

type WeekPicture = Extract<Picture, { readonly kind: "week" }>;

const HOUR_WORDS = Array.from({ length: 24 }, (_, hour) => (hour % 3 === 0 ? String(hour) : ""));
/** A mark for each hour in which this part of the known time had players and no staff. */
const MARKED_FROM = 0.25;

/** The week as a map of its hours: how many players, and where nobody of staff was there. Pure. */
export function weekChart({ look, title, week }: WeekPicture): Chart {
  const theme = THEMES[look];
  const cells = week.map((crowd, index) => ({ ...crowd, ...weekHour(index) }));
  const known = cells.filter(({ knownS }) => knownS > 0);
  const most = Math.max(1, ...known.map(({ players }) => players ?? 0));
  const marked = known.filter(({ knownS, uncoveredS }) => uncoveredS / knownS >= MARKED_FROM);
  const unknown = cells.filter(({ knownS }) => knownS === 0);
  const caption = [
    `${look === "dark" ? "Brighter" : "Darker"}: more players (up to ${Math.round(most)})`,
    ...(marked.length === 0 ? [] : ["○ no staff"]),
    ...(unknown.length === 0 ? [] : ["· no record"]),
  ].join("   ");
  const onMap = { coordinateSystem: "cartesian2d" } as const;
  return {
    option: {
      ...frame({ theme, title, caption }),
      grid: { left: 50, right: 12, top: 44, bottom: 58 },
      xAxis: {
        ...namedAxis(theme),
        data: HOUR_WORDS.map((_, hour) => String(hour)),
        axisLabel: { ...axisLabel(theme), interval: (hour: number) => HOUR_WORDS[hour] !== "" },
      },
      yAxis: { ...namedAxis(theme), data: WEEKDAYS, inverse: true, axisLine: { show: false } },
      visualMap: { show: false, min: 0, max: most, inRange: { color: theme.scale }, seriesIndex: 0 },
      series: [
        {
          ...onMap,
          type: "heatmap",
          data: known.map(({ hour, weekday, players = 0 }) => [hour, weekday, players]),
          itemStyle: { borderColor: theme.background, borderWidth: 1 },
        },
        {
          ...onMap,
          type: "scatter",
          symbol: "circle",
          symbolSize: 7,
          data: marked.map(({ hour, weekday }) => [hour, weekday]),
          itemStyle: { color: theme.background, borderColor: theme.mark, borderWidth: 2 },
        },
        {
          ...onMap,
          type: "scatter",
          symbol: "circle",
          symbolSize: 2,
          data: unknown.map(({ hour, weekday }) => [hour, weekday]),
          itemStyle: { color: theme.faint },
        },
      ],
    },
  };
}
