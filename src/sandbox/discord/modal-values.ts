/** What a person fills into a modal, checked as Discord's client checks it. */
import { type Resolved, resolveId } from "./command-line.ts";
import type { Channel, Modal, ModalField, Value } from "./types.ts";
import type { Component } from "./wire.ts";
import type { World } from "./world.ts";

export type ModalValues = Readonly<Record<string, Value | readonly Value[]>>;

/** Selects of people, roles and channels by the type that an option of a command would have. */
const optionTypes: Readonly<Record<number, number>> = { 5: 6, 6: 8, 7: 9, 8: 7 };

export interface ModalData {
  readonly custom_id: string;
  readonly components: readonly unknown[];
  readonly resolved?: Partial<Resolved>;
}

/** The data of a modal's interaction. Throws for an unknown field, a missing one, and a length out of bounds. */
export function modalData(world: World, channel: Channel, modal: Modal, values: ModalValues): ModalData {
  for (const id of Object.keys(values)) {
    if (!modal.fields.some((field) => field.customId === id))
      throw new Error(`the modal "${modal.title}" has no field ${id}`);
  }
  const resolved: Resolved = { users: {}, members: {}, roles: {}, channels: {} };
  const components = modal.components.map((outer) => {
    const inner = outer.component ?? outer.components?.[0];
    const field = modal.fields.find((one) => one.customId === inner?.custom_id);
    if (inner === undefined || field === undefined) return { type: outer.type, id: outer.id };
    const filled = fill(world, channel, resolved, field, values[field.customId]);
    const shape = { type: inner.type, id: inner.id, custom_id: field.customId, ...filled };
    return outer.component === undefined
      ? { type: outer.type, id: outer.id, components: [shape] }
      : { type: outer.type, id: outer.id, component: shape };
  });
  const found = Object.entries(resolved).filter(([, entries]) => Object.keys(entries).length > 0);
  return {
    custom_id: modal.customId,
    components,
    ...(found.length === 0 ? {} : { resolved: Object.fromEntries(found) }),
  };
}

function fill(
  world: World,
  channel: Channel,
  resolved: Resolved,
  field: ModalField,
  given: Value | readonly Value[] | undefined,
): { value: string } | { values: readonly string[] } {
  const { component } = field;
  if (component.type === 4) return { value: readInput(field, given) };
  const list = given === undefined ? preselected(component) : [given].flat();
  return { values: selectValues(world, channel, resolved, component, list, field.required, field.label) };
}

function preselected(component: Component): readonly Value[] {
  const options = (component.options ?? [])
    .filter((option) => option.default === true)
    .map((option) => option.value);
  return [...options, ...(component.default_values ?? []).map((one) => one.id)];
}

function readInput(field: ModalField, given: Value | readonly Value[] | undefined): string {
  const { component, label } = field;
  if (given !== undefined && typeof given !== "string") throw new Error(`${label} is a text`);
  const value = given ?? component.value ?? "";
  const length = [...value].length;
  if (length === 0 && !field.required) return "";
  const min = Math.max(component.min_length ?? 0, field.required ? 1 : 0);
  const max = component.max_length ?? 4000;
  if (length < min || length > max) throw new Error(`${label} must have ${min} to ${max} characters`);
  // A short input is one line: the client turns pasted line breaks into nothing.
  return component.style === 1 ? value.replace(/[\r\n]+/g, "") : value;
}

/** The values of a select, in a message or a modal; notes in `resolved` whom and what they name. */
export function selectValues(
  world: World,
  channel: Channel,
  resolved: Resolved,
  component: Component,
  given: readonly Value[],
  isRequired: boolean,
  where: string,
): readonly string[] {
  const min = isRequired ? (component.min_values ?? 1) : 0;
  const max = component.max_values ?? 1;
  if (given.length < min || given.length > max) throw new Error(`${where} takes ${min} to ${max} values`);
  return given.map((value) => {
    if (component.type === 3) {
      const option = component.options?.find((one) => one.value === value || one.label === value);
      if (option === undefined) throw new Error(`${where} has no option ${String(value)}`);
      return option.value;
    }
    const type = optionTypes[component.type] ?? 6;
    return resolveId(
      world,
      channel,
      resolved,
      { type, channel_types: component.channel_types },
      value,
      where,
    );
  });
}
