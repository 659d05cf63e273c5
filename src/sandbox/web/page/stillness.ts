const quietMs = 1_500;

/**
 * Marks the page `data-still` once nothing was pressed and no message changed for a while, and none is "thinking":
 * pictures of the page wait for it.
 */
export function markStillness(timeline: HTMLElement): void {
  const { dataset } = document.documentElement;
  let timer = 0;
  const look = () => {
    dataset.still = "false";
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      if (timeline.querySelector(".thinking, .is-busy") === null) dataset.still = "true";
      else look();
    }, quietMs);
  };
  // The seconds of "3 seconds ago" run on and are no change.
  const watcher = new MutationObserver((changes) => {
    if (changes.some(({ target }) => !(target instanceof Element && target.matches("time")))) look();
  });
  watcher.observe(timeline, { childList: true, subtree: true });
  document.addEventListener("keydown", look, { capture: true });
  document.addEventListener("click", look, { capture: true });
  look();
}
