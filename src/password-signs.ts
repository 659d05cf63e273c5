/**
 * Why the user or password in an address cannot be read; undefined: it can. Who uses the address undoes the numbers of signs,
 * and throws at a percent sign that begins none.
 */
export function signsByNumber(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null) return address.includes("@") ? WHY : undefined;
  try {
    decodeURIComponent(`${url.username} ${url.password}`);
    return undefined;
  } catch {
    return WHY;
  }
}

const WHY =
  "in a user or password signs are written by their number: a percent sign is %25, a slash is %2F, an @ is %40";

/** The passwords in an address, each as it stands there and as it was meant; empty where there is none. */
export function passwordsIn(address: string): readonly string[] {
  const url = URL.parse(address);
  if (url === null) return [];
  return [url.password, decodeURIComponent(url.password), ...url.searchParams.getAll("password")];
}
