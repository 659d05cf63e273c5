import type { ModalField } from "./types.ts";
import type { Component } from "./wire.ts";

/** The inputs of a modal, in order, each with the label that stands over it. */
export function fieldsOf(components: readonly Component[]): readonly ModalField[] {
  return components.flatMap((outer) => {
    const inner = outer.component ?? outer.components?.[0];
    if (inner?.custom_id === undefined) return [];
    return [
      {
        customId: inner.custom_id,
        label: outer.label ?? inner.label ?? "",
        description: outer.description,
        // Inputs and selects of a modal are required unless they say otherwise.
        required: inner.required ?? true,
        component: inner,
      },
    ];
  });
}
