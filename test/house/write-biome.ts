import { writeFileSync } from "node:fs";
import { biomeConfig } from "./biome-config.ts";

/** Biome's overrides replace a rule's options instead of merging them, so biome.json is written, not edited. */
writeFileSync(
  new URL("../../biome.json", import.meta.url),
  `${JSON.stringify(biomeConfig(), undefined, 2)}\n`,
);
