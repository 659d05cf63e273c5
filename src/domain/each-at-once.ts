/**
 * Does the same work for each value, for at most `most` of them at the same moment. Rejects with the first error, once
 * the work that was under way has ended; what had not begun is left out.
 */
export async function eachAtOnce<T>(
  values: Iterable<T>,
  most: number,
  work: (value: T) => Promise<void>,
): Promise<void> {
  const left = values[Symbol.iterator]();
  let failed: { readonly error: unknown } | undefined;
  const take = async (): Promise<void> => {
    for (let next = left.next(); !next.done && failed === undefined; next = left.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: most }, take));
  if (failed !== undefined) throw failed.error;
}
