/** A set of header names, however they are spelt. Hot path: the length tells most names apart from them. */
export class HeaderNames {
  readonly #names: ReadonlySet<string>;
  readonly #lengths: ReadonlySet<number>;

  /** In lower case. */
  constructor(names: readonly string[]) {
    this.#names = new Set(names);
    this.#lengths = new Set(names.map(({ length }) => length));
  }

  has(name: string): boolean {
    return this.#lengths.has(name.length) && this.#names.has(name.toLowerCase());
  }
}
