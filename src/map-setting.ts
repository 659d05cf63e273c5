/** The operator's picture of the map: its file, and the units of its top left and bottom right corners. */
export interface MapSetting {
  readonly file: string;
  readonly x1: number;
  readonly z1: number;
  readonly x2: number;
  readonly z2: number;
}

/** `FILE,x1,z1,x2,z2`; the name of the file may have commas. */
export function readMapSetting(value: string): MapSetting | { readonly why: string } {
  const parts = value.split(",");
  const [x1 = 0, z1 = 0, x2 = 0, z2 = 0] = parts.slice(-4).map((part) => Number(part.trim() || "none"));
  const file = parts.slice(0, -4).join(",").trim();
  if (file === "") return { why: "it needs a file and four numbers with commas between them" };
  if (![x1, z1, x2, z2].every(Number.isFinite)) return { why: "a corner is no number" };
  if (x2 <= x1 || z2 <= z1) return { why: "the second corner is not right of and below the first" };
  return { file, x1, z1, x2, z2 };
}
