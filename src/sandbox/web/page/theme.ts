/**
 * Light or dark: as the system says, unless the address (`?light`, `?dark`) or an earlier press says otherwise. The
 * colours themselves follow by CSS; whoever needs to know is called.
 */
export class Theme {
  readonly #changed: (isLight: boolean) => void;
  readonly #system = window.matchMedia("(prefers-color-scheme: light)");
  #chosen: string | undefined = storedTheme();

  constructor(changed: (isLight: boolean) => void) {
    this.#changed = changed;
  }

  get #isLight(): boolean {
    return this.#chosen === undefined ? this.#system.matches : this.#chosen === "light";
  }

  start(): void {
    const params = new URLSearchParams(location.search);
    if (params.has("light")) this.#chosen = "light";
    else if (params.has("dark")) this.#chosen = "dark";
    this.#system.addEventListener("change", () => this.#apply());
    this.#apply();
  }

  /** The other one. Back at what the system says it follows the system again. */
  toggle(): void {
    const isLight = !this.#isLight;
    this.#chosen = isLight === this.#system.matches ? undefined : isLight ? "light" : "dark";
    if (this.#chosen === undefined) localStorage.removeItem("theme");
    else localStorage.setItem("theme", this.#chosen);
    this.#apply();
  }

  #apply(): void {
    const { dataset } = document.documentElement;
    if (this.#chosen === undefined) delete dataset.theme;
    else dataset.theme = this.#chosen;
    this.#changed(this.#isLight);
  }
}

function storedTheme(): string | undefined {
  const stored = localStorage.getItem("theme");
  return stored === "light" || stored === "dark" ? stored : undefined;
}
