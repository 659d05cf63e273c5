/** The package describes no types; this is what is used of it. */
declare module "gifenc/dist/gifenc.esm.js" {
  type Color = readonly [red: number, green: number, blue: number];
  interface Options {
    readonly delay?: number;
    readonly palette?: readonly Color[];
    readonly repeat?: number;
    readonly transparent?: boolean;
    readonly transparentIndex?: number;
    readonly dispose?: number;
  }
  export function quantize(
    rgba: Uint8Array,
    colors: number,
    options: { readonly format: "rgb565" },
  ): readonly Color[];
  export function applyPalette(rgba: Uint8Array, palette: readonly Color[], format: "rgb565"): Uint8Array;
  export function GIFEncoder(): {
    writeFrame(index: Uint8Array, width: number, height: number, options: Options): void;
    finish(): void;
    bytes(): Uint8Array;
  };
}
