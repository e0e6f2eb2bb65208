import type { CountValue } from '../ast/ast.ts';
import type { Constant } from '../binder/bound-query.ts';
import { Instant, parseInstant } from '../value/instant.ts';
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
 * What the text leaves to one run: the parameters, one moment that every NOW of the query means, and what the
 * run spends on matching text.
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
    }
  }

  count(value: CountValue | undefined): number | undefined {
    if (value === undefined) return undefined;
    return value.kind === 'count' ? value.value : this.parameters.count(value.name);
  }
}

/** Whether a field of every record is an instant. */
export function isTimeField(field: string): boolean {
  return TIME_FIELDS.has(field);
}

/** Text beside a time field, as an instant; what is none equals nothing and stands in no order. */
export function asTime(value: Comparand): Comparand {
  return typeof value === 'string' ? new Instant(parseInstant(value) ?? NaN) : value;
}
