const STORAGE_KEY = 'plexus.theme';
const CHOICES = ['auto', 'light', 'dark'] as const;

export type ThemeChoice = (typeof CHOICES)[number];

/** Light or dark: the setting of the system, unless the user has chosen. */
export class Theme {
  #choice = $state<ThemeChoice>(storedChoice());
  #systemIsDark = $state(false);
  readonly #isDark = $derived(this.#choice === 'auto' ? this.#systemIsDark : this.#choice === 'dark');

  constructor() {
    const system = matchMedia('(prefers-color-scheme: dark)');
    this.#systemIsDark = system.matches;
    system.addEventListener('change', ({ matches }) => (this.#systemIsDark = matches));
    this.#apply();
  }

  get choice(): ThemeChoice {
    return this.#choice;
  }

  get isDark(): boolean {
    return this.#isDark;
  }

  /** Advances to the next of auto, light, dark. */
  turn(): void {
    this.#choice = CHOICES[(CHOICES.indexOf(this.#choice) + 1) % CHOICES.length] ?? 'auto';
    localStorage.setItem(STORAGE_KEY, this.#choice);
    this.#apply();
  }

  #apply(): void {
    document.documentElement.dataset['theme'] = this.#choice;
  }
}

function storedChoice(): ThemeChoice {
  const stored = localStorage.getItem(STORAGE_KEY);
  return CHOICES.find((choice) => choice === stored) ?? 'auto';
}

/** The instance of this page. */
export const theme = new Theme();
