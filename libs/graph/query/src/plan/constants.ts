import type { CountValue } from '../ast/ast.ts';
import type { Constant } from '../binder/bound-query.ts';
import { dateMs } from '../syntax/date.ts';
import { epochMs, Instant, parseInstant } from '#graph/model';
import type { ParameterValues } from '../value/parameters.ts';
import type { TextWork } from '../value/text-work.ts';
import type { Comparand } from '../value/value-test.ts';

const TIME_FIELDS: ReadonlySet<string> = new Set([
  '_created_at',
  '_updated_at',
  '_last_seen_at',
  '_deleted_at',
]);

/**
 * The values specific to one run: the parameters, the instant shared by every NOW of the query, and the work
 * spent on matching text.
 */
export class Constants {
  readonly parameters: ParameterValues;
  readonly text: TextWork;
  readonly #nowMs: number;

  constructor(parameters: ParameterValues, nowMs: number, text: TextWork) {
    this.parameters = parameters;
    this.text = text;
    this.#nowMs = nowMs;
  }

  value(constant: Constant): Comparand {
    switch (constant.kind) {
      case 'literal':
        return constant.value;
      case 'parameter':
        return this.parameters.scalar(constant.name);
      case 'now':
        return new Instant(this.#nowMs + constant.offsetMs);
      case 'date':
        return new Instant(dateMs(constant.text) ?? NaN);
    }
  }

  count(value: CountValue | undefined): number | undefined {
    if (value === undefined) return undefined;
    return value.kind === 'count' ? value.value : this.parameters.count(value.name);
  }
}

/** Whether a field is one of the timestamps of every record. */
export function isTimeField(field: string): boolean {
  return TIME_FIELDS.has(field);
}

/**
 * Text or a number compared with a time field, as an instant; invalid text equals nothing and is not ordered.
 */
export function asTime(value: Comparand): Comparand {
  if (typeof value === 'number') return new Instant(epochMs(value));
  return typeof value === 'string' ? new Instant(parseInstant(value) ?? NaN) : value;
}
