import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { tempFolder } from "../support/temp-folder.ts";
import { root } from "./deploy-files.ts";
import { longer, type Recording } from "./recorded-series.ts";

const RULES = join(root, "deploy/grafana/alerts.yml");
/** Whatever has fired at some time. */
const FIRED = 'group by (alertname) (max_over_time(ALERTS{alertstate="firing"}[2h]))';

/** Prometheus' own tool; undefined where this machine has none (Debian has it in `prometheus`). */
export function promtool(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, "promtool")).find(existsSync);
}

export interface AlertCase {
  readonly recording: Recording;
  /** How often the second half goes on. */
  readonly times: number;
  /** The alerts that fire in it, and no others. */
  readonly fires: readonly string[];
}

/** Evaluates the rules on recordings, as Prometheus would. Resolves with what was not as expected, in promtool's words. */
export async function wrongAlerts(tool: string, cases: readonly AlertCase[]): Promise<string> {
  const folder = tempFolder();
  const file = join(folder.path, "alerts.test.json");
  const tests = cases.map(({ recording, times, fires }) => {
    const { series, samples, everyS, fault } = longer(recording, times);
    return {
      name: fault,
      interval: `${everyS}s`,
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [
        {
          expr: FIRED,
          eval_time: `${(samples - 1) * everyS}s`,
          exp_samples: [...fires].sort().map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
        },
      ],
    };
  });
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: "1m", tests }));
  try {
    await promisify(execFile)(tool, ["test", "rules", file], { maxBuffer: 2 ** 24 });
    return "";
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
    return `${stdout}${stderr}`;
  } finally {
    folder.remove();
  }
}
