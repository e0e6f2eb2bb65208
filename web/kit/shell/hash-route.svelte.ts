import { hashOf, parametersOf, pathOf } from './hash-address.ts';

/** The address as it is now; see `hash-address.ts`. */
export class HashRoute {
  #hash = $state(location.hash);
  readonly #path = $derived(pathOf(this.#hash));
  readonly #parameters = $derived(parametersOf(this.#hash));

  constructor() {
    addEventListener('hashchange', () => (this.#hash = location.hash));
  }

  get path(): string {
    return this.#path;
  }

  get parameters(): Readonly<Partial<Record<string, string>>> {
    return this.#parameters;
  }

  /** Another view: a step that the browser's back button undoes. */
  go(path: string, parameters: Readonly<Record<string, string>> = {}): void {
    location.hash = hashOf(path, parameters);
  }

  /** The same view with some parameters changed; those that are empty are left out. */
  change(parameters: Readonly<Record<string, string>>): void {
    const all: Readonly<Partial<Record<string, string>>> = { ...this.#parameters, ...parameters };
    const kept = new URLSearchParams();
    for (const name of Object.keys(all)) {
      const value = all[name] ?? '';
      if (value !== '') kept.set(name, value);
    }
    this.replace(Object.fromEntries(kept));
  }

  /** The same view with other parameters: no step of its own. */
  replace(parameters: Readonly<Record<string, string>>): void {
    const hash = hashOf(this.#path, parameters);
    history.replaceState(history.state, '', hash);
    this.#hash = hash;
  }
}

/** Of this page. */
export const route = new HashRoute();
