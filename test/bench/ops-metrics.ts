/** What the bot at this ops address measures of itself now: metrics without labels, by name. Throws on another name. */
export async function readMetrics(opsAddress: string): Promise<(name: string) => number> {
  const text = await (await fetch(`http://${opsAddress}/metrics`)).text();
  return (name) => {
    const value = new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1];
    if (value === undefined) throw new Error(`/metrics has no ${name}`);
    return Number(value);
  };
}
