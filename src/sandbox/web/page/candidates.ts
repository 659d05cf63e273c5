import type { Store } from "./store.ts";

/** Something that can be chosen. */
export interface Candidate {
  readonly label: string;
  readonly value: string;
  readonly description?: string | undefined;
  readonly mark?: "hash" | "at" | "thread" | undefined;
}

/** What a select or an option may name: the numbers are those of Discord's command options. */
export const OptionKind = { boolean: 5, user: 6, channel: 7, role: 8, mentionable: 9 } as const;

function people(store: Store): readonly Candidate[] {
  return (store.world?.people ?? []).map(({ id, name }) => ({ label: name, value: id, mark: "at" }));
}

function roles(store: Store): readonly Candidate[] {
  return (store.world?.roles ?? []).map(({ id, name }) => ({
    label: name.replace(/^@/, ""),
    value: id,
    mark: "at",
  }));
}

/** Channels of these types; no types means all but categories. */
function channels(store: Store, types: readonly number[]): readonly Candidate[] {
  const isFitting = (type: number) => (types.length === 0 ? type !== 1 && type !== 4 : types.includes(type));
  return store.channels
    .filter(({ type }) => isFitting(type))
    .map(({ id, name, type }) => ({ label: name, value: id, mark: type > 10 ? "thread" : "hash" }));
}

/** Those of an option or a select by its kind; undefined where anything may be written. */
export function candidatesOf(
  kind: number,
  channelTypes: readonly number[],
  store: Store,
): readonly Candidate[] | undefined {
  switch (kind) {
    case OptionKind.boolean:
      return [
        { label: "True", value: "true" },
        { label: "False", value: "false" },
      ];
    case OptionKind.user:
      return people(store);
    case OptionKind.channel:
      return channels(store, channelTypes);
    case OptionKind.role:
      return roles(store);
    case OptionKind.mentionable:
      return [...roles(store).map((one) => ({ ...one, description: "Role" })), ...people(store)];
    default:
      return undefined;
  }
}

/** Those that hold what was typed, those that begin with it first. */
export function matching(candidates: readonly Candidate[], typed: string): readonly Candidate[] {
  const wanted = typed.trim().replace(/^[#@]/, "").toLowerCase();
  if (wanted === "") return candidates;
  const found = candidates.filter(({ label }) => label.toLowerCase().includes(wanted));
  return found.toSorted((a, b) => Number(begins(b)) - Number(begins(a)));

  function begins({ label }: Candidate): boolean {
    return label.toLowerCase().startsWith(wanted);
  }
}
