import { BarChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, LegendComponent, TitleComponent, VisualMapComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import type { Picture } from "../../domain/stats.ts";
import { daysChart } from "./days-chart.ts";
import type { Chart } from "./frame.ts";
import { playersChart } from "./players-chart.ts";
import { staffChart } from "./staff-chart.ts";
import { HEIGHT, WIDTH } from "./theme.ts";
import { weekChart } from "./week-chart.ts";

use([
  BarChart,
  HeatmapChart,
  LineChart,
  ScatterChart,
  GridComponent,
  LegendComponent,
  TitleComponent,
  VisualMapComponent,
  SVGRenderer,
]);

/** The picture as SVG. Names in it are text: the renderer escapes what would be markup. Pure. */
export function svgOf(picture: Picture): string {
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

function chartOf(picture: Picture): Chart {
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
