/**
 * Names of headers, compared as an upstream may read them: without case, and with `_` and `.` as `-`. In CGI,
 * WSGI, PHP and others `X_User` and `X.User` are `X-User`; where that one is set, removed or trusted, the
 * others must not get past it.
 */
const OTHER_DASHES = /[_.]/;
const ALL_OTHER_DASHES = /[_.]/g;

/** The name in lower case, with dashes for underscores. */
export function foldedName(name: string): string {
  const lower = name.toLowerCase();
  return OTHER_DASHES.test(lower) ? lower.replace(ALL_OTHER_DASHES, '-') : lower;
}

/** Whether the name is spelt otherwise than with dashes. */
export function isAlias(name: string): boolean {
  return OTHER_DASHES.test(name);
}

/** A set of names. Hot path: the length rules out most names. */
export class HeaderNames {
  readonly #names: ReadonlySet<string>;
  readonly #lengths: ReadonlySet<number>;

  constructor(names: readonly string[]) {
    this.#names = new Set(names.map(foldedName));
    this.#lengths = new Set(names.map(({ length }) => length));
  }

  has(name: string): boolean {
    return this.#lengths.has(name.length) && this.#names.has(foldedName(name));
  }
}
