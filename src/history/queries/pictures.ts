import type { Picture } from "../../domain/stats.ts";
import type { QueryContext } from "./context.ts";

/** Pictures are drawn here because this thread may take its time. The drawing is loaded when it is wanted first. */
export async function draw(
  _context: QueryContext,
  { pictures }: { readonly pictures: readonly Picture[] },
): Promise<readonly Uint8Array[]> {
  const { pngOf } = await import("../pictures/png.ts");
  return pictures.map((picture) => pngOf(picture));
}
