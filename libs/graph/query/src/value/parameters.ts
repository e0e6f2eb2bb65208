import type { Scalar } from '#graph/model';
import { DomainError } from '#platform/foundation';

/** Values for `$1` and `$name`: `$1` is `params[0]` of an array, or `params["1"]` of an object. */
export type QueryParameters = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Maximum length of one value in a key. */
const KEY_CHARS_MAX = 256;

/** The parameters of one run. Throws `DomainError`: MISSING_PARAMETER or INVALID_REQUEST. */
export class ParameterValues {
  readonly #given: QueryParameters;

  constructor(given: QueryParameters = {}) {
    this.#given = given;
  }

  /**
   * A text that is equal for equal values of the parameters; undefined unless each one is present and a short
   * scalar.
   */
  keyOf(names: readonly string[]): string | undefined {
    let key = '';
    for (const name of names) {
      const value = this.#find(name);
      if (!isScalar(value)) return undefined;
      const text = String(value);
      if (text.length > KEY_CHARS_MAX) return undefined;
      key += `${typeof value} ${String(text.length)} ${text} `;
    }
    return key;
  }

  /** Throws MISSING_PARAMETER unless all are present. */
  require(names: readonly string[]): void {
    for (const name of names) this.#get(name);
  }

  scalar(name: string): Scalar {
    const value = this.#get(name);
    refuseLargeInteger(name, value);
    if (!isScalar(value)) throw wrongKind(name, 'null, a boolean, a finite number or a string');
    return value;
  }

  /** Null equals nothing, so a null in a list is rejected. */
  list(name: string): readonly Scalar[] {
    const value = this.#get(name);
    if (!Array.isArray(value)) throw wrongKind(name, 'an array');
    for (const item of value as readonly unknown[]) refuseLargeInteger(name, item);
    if (!value.every((item) => isScalar(item) && item !== null))
      throw wrongKind(name, 'an array of booleans, finite numbers or strings');
    return value;
  }

  text(name: string): string {
    const value = this.#get(name);
    if (typeof value !== 'string') throw wrongKind(name, 'a string');
    return value;
  }

  /** The value of a parameter of SKIP or LIMIT. */
  count(name: string): number {
    const value = this.#get(name);
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
      throw wrongKind(name, 'a non-negative integer');
    }
    return value;
  }

  #find(name: string): unknown {
    return Array.isArray(this.#given)
      ? (this.#given as readonly unknown[])[arrayIndex(name)]
      : ownValue(this.#given as Readonly<Record<string, unknown>>, name);
  }

  #get(name: string): unknown {
    const value = this.#find(name);
    if (value === undefined) {
      throw new DomainError('MISSING_PARAMETER', `expected a value for parameter $${name}`, {
        details: { parameter: name },
      });
    }
    return value;
  }
}

function arrayIndex(name: string): number {
  if (name.length === 1) return name >= '1' && name <= '9' ? Number(name) - 1 : -1;
  return /^[1-9]\d{0,8}$/.test(name) ? Number(name) - 1 : -1;
}

function ownValue(given: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(given, name) ? given[name] : undefined;
}

function isScalar(value: unknown): value is Scalar {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true;
  return typeof value === 'number' && Number.isFinite(value);
}

/** An integer beyond the exact range of numbers is a bigint. */
function refuseLargeInteger(name: string, value: unknown): void {
  if (typeof value !== 'bigint') return;
  const max = String(Number.MAX_SAFE_INTEGER);
  throw wrongKind(name, `an integer from -${max} to ${max}; send a larger one as a string`);
}

function wrongKind(name: string, expected: string): DomainError {
  return new DomainError('INVALID_REQUEST', `expected parameter $${name} to be ${expected}`, {
    details: { field: `params.${name}` },
  });
}
