import {
  type APIModalInteractionResponseCallbackComponent,
  type APIModalInteractionResponseCallbackData,
  type APISelectMenuComponent,
  ComponentType,
  TextInputStyle,
} from "discord.js";
import type { Form, FormField } from "../command.ts";
import { picker } from "./compose-components.ts";

/** A modal: an introduction, then each field under its label (type 18), the only form that takes selects. */
export function composeForm(form: Form): APIModalInteractionResponseCallbackData {
  const intro: APIModalInteractionResponseCallbackComponent[] =
    form.intro === undefined ? [] : [{ type: ComponentType.TextDisplay, content: form.intro }];
  return { custom_id: form.id, title: form.title, components: [...intro, ...form.fields.map(label)] };
}

function label(field: FormField): APIModalInteractionResponseCallbackComponent {
  return {
    type: ComponentType.Label,
    label: field.label,
    ...(field.description === undefined ? {} : { description: field.description }),
    component:
      field.kind === "text" ? textInput(field) : { ...pickField(field), required: field.required !== false },
  };
}

function pickField(field: Exclude<FormField, { kind: "text" }>): APISelectMenuComponent {
  return picker(field.kind, field.id, field);
}

function textInput(field: Extract<FormField, { kind: "text" }>) {
  return {
    type: ComponentType.TextInput as const,
    custom_id: field.id,
    style: field.long ? TextInputStyle.Paragraph : TextInputStyle.Short,
    required: field.required !== false,
    ...(field.minLength === undefined ? {} : { min_length: field.minLength }),
    ...(field.maxLength === undefined ? {} : { max_length: field.maxLength }),
    ...(field.placeholder === undefined ? {} : { placeholder: field.placeholder }),
    ...(field.value === undefined ? {} : { value: field.value }),
  };
}
