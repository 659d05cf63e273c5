import type { Picture } from "../../domain/stats.ts";
import { amountAxis, axisLabel, type Chart, frame, namedAxis } from "./frame.ts";
import { pictureText } from "./picture-text.ts";
import { FONT, TEXT_SIZE, THEMES } from "./theme.ts";

type StaffPicture = Extract<Picture, { readonly kind: "staff" }>;

const HOUR_S = 3_600;
const ROW_HEIGHT = 26;
const AROUND_ROWS = 78;
const LONGEST_NAME = 15;

/** Hours in the game as bars, with the calls that were answered beside them. Pure. */
export function staffChart({ look, title, rows }: StaffPicture): Chart {
  const theme = THEMES[look];
  const names = rows.map(({ name }) => pictureText(name, LONGEST_NAME));
  return {
    height: AROUND_ROWS + ROW_HEIGHT * rows.length,
    option: {
      ...frame({ theme, title }),
      grid: { left: 138, right: 84, top: 44, bottom: 32 },
      xAxis: {
        ...amountAxis(theme),
        axisLabel: { ...axisLabel(theme), formatter: "{value} h" },
      },
      // Two people may have one name: the places of the bars are numbers, and the names only words beside them.
      yAxis: {
        ...namedAxis(theme),
        inverse: true,
        data: rows.map((_, at) => String(at)),
        axisLabel: {
          ...axisLabel(theme),
          color: theme.text,
          interval: 0,
          formatter: (at: string) => names[Number(at)] ?? "",
        },
      },
      series: [
        {
          type: "bar",
          barWidth: 16,
          data: rows.map(({ playedS }) => Math.round((playedS / HOUR_S) * 10) / 10),
          itemStyle: { color: theme.players },
          label: {
            show: true,
            position: "right",
            fontFamily: FONT,
            fontSize: TEXT_SIZE,
            color: theme.text,
            formatter: ({ dataIndex }: { readonly dataIndex: number }) => {
              const calls = rows[dataIndex]?.calls ?? 0;
              return calls === 1 ? "1 call" : `${calls} calls`;
            },
          },
        },
      ],
    },
  };
}
