/** What Prometheus would have stored of some processes, one value every so many seconds. */
export interface Recording {
  readonly fault: string;
  readonly everyS: number;
  readonly samples: number;
  /** By series, such as `marshal_halted{instance="a"}`: in promtool's notation, `_` where nothing answered. */
  readonly series: Readonly<Record<string, string>>;
}

/** Collects what the processes of one fault answer on /metrics, of the metrics that the rules ask for. */
export class SeriesRecorder {
  readonly #names: ReadonlySet<string>;
  readonly #values = new Map<string, string[]>();
  #samples = 0;

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  /** One look at all processes, by instance; undefined: it does not answer. */
  add(texts: ReadonlyMap<string, string | undefined>): void {
    for (const [instance, text] of texts) {
      for (const [, name = "", labels = "", value = ""] of (text ?? "").matchAll(
        /^([a-z_0-9]+)(?:\{([^}]*)\})? (\S+)$/gm,
      )) {
        if (!this.#names.has(name) || value === "Nan") continue;
        const all = [...(labels === "" ? [] : [labels]), 'job="any"', `instance="${instance}"`].join(",");
        this.#put(`${name}{${all}}`, rounded(value));
      }
    }
    this.#samples += 1;
  }

  #put(series: string, value: string): void {
    const values = this.#values.get(series) ?? [];
    while (values.length < this.#samples) values.push("_");
    values.push(value);
    this.#values.set(series, values);
  }

  recording(fault: string, everyS: number): Recording {
    const series: Record<string, string> = {};
    for (const [name, values] of [...this.#values].sort(([a], [b]) => a.localeCompare(b))) {
      while (values.length < this.#samples) values.push("_");
      series[name] = packed(values);
    }
    return { fault, everyS, samples: this.#samples, series };
  }
}

/** Four digits are more than any rule looks at; a count, and a time, stay what they are. */
function rounded(value: string): string {
  const number = Number(value);
  return Number.isInteger(number) ? String(number) : String(Number(number.toPrecision(4)));
}

/** Equal neighbours together: `5x3` is 5 and three more of it. */
function packed(values: readonly string[]): string {
  const out: string[] = [];
  for (let at = 0; at < values.length; ) {
    let end = at;
    while (values[end + 1] === values[at]) end += 1;
    const more = end - at;
    out.push(more === 0 ? `${values[at]}` : values[at] === "_" ? `_x${more + 1}` : `${values[at]}x${more}`);
    at = end + 1;
  }
  return out.join(" ");
}

/** The values again, one for each look; undefined where nothing answered. */
function unpacked(text: string): (number | undefined)[] {
  return text.split(" ").flatMap((word) => {
    const [value = "", more] = word.split("x");
    if (value === "_") return Array.from({ length: Number(more ?? 1) }, () => undefined);
    return Array.from({ length: Number(more ?? 0) + 1 }, () => Number(value));
  });
}

/**
 * The same for longer: the second half over again, so often, with counters going on as they went in it. A fault that
 * is steady needs no hour of recording for a rule that waits half an hour.
 */
export function longer({ series, samples, ...rest }: Recording, times: number): Recording {
  const half = Math.floor(samples / 2);
  const more: Record<string, string> = {};
  for (const [name, text] of Object.entries(series)) {
    const values = unpacked(text);
    const again = values.slice(half);
    const isCounter = /_(total|bucket|sum|count)\{/.test(name);
    const first = values[half - 1] ?? again.find((value) => value !== undefined) ?? 0;
    const grown = isCounter
      ? Math.max(0, (again.findLast((value) => value !== undefined) ?? first) - first)
      : 0;
    for (let time = 1; time <= times; time++)
      for (const value of again) values.push(value === undefined ? undefined : value + time * grown);
    more[name] = packed(values.map((value) => (value === undefined ? "_" : String(value))));
  }
  return { ...rest, samples: samples + half * times, series: more };
}

/** Names of the metrics in these expressions. */
export function metricsIn(expressions: readonly string[]): ReadonlySet<string> {
  return new Set(
    expressions.flatMap((expr) =>
      [...expr.matchAll(/\b(?:marshal|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name),
    ),
  );
}
