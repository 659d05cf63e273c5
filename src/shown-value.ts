/** What may be shown of a variable's value, for the line about a bad one. */

/** Whether a value holds or looks like a secret: a token pasted into the wrong line is still a token. */
export function holdsSecret(value: string, secrets: readonly string[]): boolean {
  const known = secrets.some((secret) => value.includes(secret));
  return known || /[\w-]{20,}\.[\w-]{5,}\.[\w-]{20,}/.test(value) || /[A-Za-z0-9+/_-]{40,}/.test(value);
}

/**
 * An address without the name and password in it, cut to a length that a log line takes. A password may have any sign in it,
 * so all up to the last @ is left out.
 */
export function withoutPassword(value: string): string {
  const shown = value
    .replace(/^([^/:@]*:(?:\/\/)?)?.*@/s, "$1[hidden]@")
    .replace(/([?&]password=)[^&]*/gi, "$1[hidden]");
  return shown.length > 80 ? `${shown.slice(0, 80)}...` : shown;
}
