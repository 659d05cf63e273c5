import { figureMutants } from "./figures.ts";
import { logMutants } from "./logs.ts";
import type { Mutant } from "./planted.ts";
import { recordMutants } from "./records.ts";
import { runMutants } from "./runs.ts";
import { serviceMutants } from "./service.ts";

export const EVERY_MUTANT: readonly Mutant[] = [
  ...serviceMutants,
  ...logMutants,
  ...runMutants,
  ...recordMutants,
  ...figureMutants,
];
