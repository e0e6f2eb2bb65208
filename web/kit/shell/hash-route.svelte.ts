import { hashOf, parametersOf, pathOf } from './hash-address.ts';

/** The current address; see `hash-address.ts`. */
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

  /** Opens another view, as an entry of the browser's history. */
  go(path: string, parameters: Readonly<Record<string, string>> = {}): void {
    location.hash = hashOf(path, parameters);
  }

  /** The same view with some parameters changed; empty ones are removed. */
  change(parameters: Readonly<Record<string, string>>): void {
    const all: Readonly<Partial<Record<string, string>>> = { ...this.#parameters, ...parameters };
    const kept = new URLSearchParams();
    for (const name of Object.keys(all)) {
      const value = all[name] ?? '';
      if (value !== '') kept.set(name, value);
    }
    this.replace(Object.fromEntries(kept));
  }

  /** The name of the browser's entry, if the view has given it one. */
  get entry(): unknown {
    return history.state;
  }

  /** The same view with other parameters, without an entry in the history; `entry` names the current one. */
  replace(parameters: Readonly<Record<string, string>>, entry: unknown = history.state): void {
    // The browser has gone on, and will say so: the new address must not be overwritten.
    if (location.hash !== this.#hash) return;
    history.replaceState(entry, '', hashOf(this.#path, parameters));
    this.#hash = location.hash;
  }
}

/** The instance of this page. */
export const route = new HashRoute();
