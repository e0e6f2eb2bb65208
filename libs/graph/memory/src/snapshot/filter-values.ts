/** Filters on values that come from anywhere: a row, a version, or kept values. *Hot path*. */
import type { FieldValue, Filter } from '#graph/model';

/** The fields that a filter reads. */
export function fieldsOf(filter: Filter | undefined): readonly string[] {
  if (filter === undefined) return [];
  if (filter.kind === 'test') return [filter.field];
  return filter.kind === 'not' ? fieldsOf(filter.item) : filter.items.flatMap(fieldsOf);
}

/** Whether the values of `subject` pass; `valueOf` is given once, so that no call makes a function. */
export function passes<Subject>(
  filter: Filter,
  subject: Subject,
  valueOf: (subject: Subject, field: string) => FieldValue,
): boolean {
  switch (filter.kind) {
    case 'test':
      return filter.test.matches(valueOf(subject, filter.field));
    case 'and':
      return filter.items.every((item) => passes(item, subject, valueOf));
    case 'or':
      return filter.items.some((item) => passes(item, subject, valueOf));
    case 'not':
      return !passes(filter.item, subject, valueOf);
  }
}

/** How many subjects are tested between two turns of others: one, where testing its values may take long. */
export function testedPerStep(filter: Filter | undefined, usual: number): number {
  return filter !== undefined && takesSteps(filter) ? 1 : usual;
}

function takesSteps(filter: Filter): boolean {
  if (filter.kind === 'test') return filter.test.steps !== undefined;
  return filter.kind === 'not' ? takesSteps(filter.item) : filter.items.some(takesSteps);
}
