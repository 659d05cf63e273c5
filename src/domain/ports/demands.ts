import type { Demand } from "../model.ts";

export interface Demands {
  /** Replaces whatever `owner` demanded before; an empty array withdraws it. */
  put(owner: string, demands: readonly Demand[]): void;
}
