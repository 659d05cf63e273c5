import { Failure } from "../domain/failure.ts";
import type { Binding } from "../domain/guild.ts";

type Named = Pick<Binding, "id" | "name">;

/**
 * The server of an id or name; without one, the only linked server. Throws Failure "not-linked" that lists the choices.
 * A name that fits two servers is refused, because a command for one of them must never reach the other.
 */
export function chooseBinding<T extends Named>(bindings: readonly T[], wanted: string | undefined): T {
  const [first] = bindings;
  if (first === undefined) {
    throw new Failure("not-linked", "No game server is linked here yet.", { wants: "server" });
  }
  const names = (all: readonly Named[]) => all.map(({ name }) => name).join(", ");
  if (wanted === undefined || wanted === "") {
    if (bindings.length === 1) return first;
    throw new Failure("not-linked", `Several servers are linked here. Choose one: ${names(bindings)}.`);
  }
  const lower = wanted.toLowerCase();
  const byId = bindings.find(({ id }) => id === wanted);
  const same = bindings.filter(({ name }) => name.toLowerCase() === lower);
  const alike = bindings.filter(({ name }) => name.toLowerCase().startsWith(lower));
  const found = byId ? [byId] : same.length > 0 ? same : alike;
  const [one, ...others] = found;
  if (one === undefined) {
    throw new Failure("not-linked", `There is no server "${wanted}" here. Linked: ${names(bindings)}.`);
  }
  if (others.length > 0) {
    throw new Failure(
      "not-linked",
      `"${wanted}" fits several servers: ${names(found)}. Choose one from the list.`,
    );
  }
  return one;
}
