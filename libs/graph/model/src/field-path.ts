import { DomainError, type ErrorCode } from '#platform/foundation';

/**
 * The position of a value in a request, for messages: `entities[3]`. One mutable path serves a whole list, so
 * that valid requests build no text.
 */
export class FieldPath {
  /** Index in the list; −1 outside of lists. */
  index = -1;
  readonly #list: string;

  constructor(list = '') {
    this.#list = list;
  }

  /** The full path of a field below this position. */
  of(field = ''): string {
    const head = this.index < 0 ? this.#list : `${this.#list}[${String(this.index)}]`;
    if (head === '' || field === '') return head + field;
    return /^[.[]/.test(field) ? head + field : `${head}.${field}`;
  }

  /** The error for a field; `message` says what was expected and what was received. */
  fault(field: string, message: string, code: ErrorCode = 'INVALID_REQUEST'): DomainError {
    const path = this.of(field);
    return new DomainError(code, path === '' ? message : `${path}: ${message}`, { details: { field: path } });
  }
}

/** The kind of a value, for messages; never the value itself. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'bigint') return 'a large integer';
  return `a ${typeof value}`;
}
