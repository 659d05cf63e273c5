// All of it in one file: the parts that are used here are five hundred, and loading them takes ten times as long.
import { init } from "echarts/dist/echarts.esm.min";
import type { ChartPicture } from "../../domain/stats.ts";
import { daysChart } from "./days-chart.ts";
import type { Chart } from "./frame.ts";
import { playersChart } from "./players-chart.ts";
import { staffChart } from "./staff-chart.ts";
import { HEIGHT, WIDTH } from "./theme.ts";
import { weekChart } from "./week-chart.ts";

/** The picture as SVG. Names in it are text: the renderer escapes what would be markup. Pure. */
export function svgOf(picture: ChartPicture): string {
  const { option, height = HEIGHT } = chartOf(picture);
  const chart = init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height });
  try {
    chart.setOption({ animation: false, ...option });
    return chart.renderToSVGString();
  } finally {
    // Its timer would keep the process alive.
    chart.dispose();
  }
}

function chartOf(picture: ChartPicture): Chart {
  switch (picture.kind) {
    case "players":
      return playersChart(picture);
    case "week":
      return weekChart(picture);
    case "staff":
      return staffChart(picture);
    case "days":
      return daysChart(picture);
  }
}
