/**
 * The data that the result of a query depends on: rows, their order, and warnings, except for those of
 * unknown words, whose hints depend on all names.
 *
 * A query reads an entity, its existence and its fields, through an element that names types or classes. An
 * entity that is only traversed, on a repeated hop or a path, counts by its relationships.
 */
import type { Footprint, VerbSelection } from '#graph/model';
import type { BoundElement, BoundEnd, BoundQuery } from '../binder/bound-query.ts';
import { linkedIn } from './data-warnings.ts';
import { fieldOperandsOf } from './field-operands.ts';

/** Fields of the record that are determined by its content. */
const CONTENT_FIELDS: ReadonlySet<string> = new Set(['_id', '_type', '_key', '_class', '_labels']);

export function footprintOf({ body }: BoundQuery): Footprint {
  const readsStamps = fieldOperandsOf(body).some(({ field }) => isStamp(field));
  switch (body.kind) {
    case 'find': {
      const verbs = [...body.elements.flatMap(verbsOf), ...linkedIn(body.where).map((item) => item.verbs)];
      return { names: union(body.elements.flatMap(namesOf)), verbs: union(verbs), readsStamps };
    }
    case 'path':
      return {
        names: union([endNames(body.from), endNames(body.to)]),
        verbs: union([body.via.verbs]),
        readsStamps,
      };
    case 'blast':
      // The impacted entities may be of any type.
      return { names: '*', verbs: union([body.via.verbs]), readsStamps };
  }
}

export function unionOf(footprints: readonly Footprint[]): Footprint {
  return {
    names: together(footprints.map(({ names }) => names)),
    verbs: together(footprints.map(({ verbs }) => verbs)),
    readsStamps: footprints.some(({ readsStamps }) => readsStamps),
  };
}

/** Whether a field is stored with a record in addition to its content. */
export function isStamp(field: string): boolean {
  return field.startsWith('_') && !CONTENT_FIELDS.has(field);
}

type Words = readonly { readonly text: string }[] | '*';

function namesOf(element: BoundElement): readonly Words[] {
  return element.kind === 'node' ? [element.names] : [];
}

function verbsOf(element: BoundElement): readonly Words[] {
  return element.kind === 'hop' ? [element.verbs] : [];
}

/** A key may belong to any type. */
function endNames(end: BoundEnd): Words {
  return end.kind === 'node' ? end.names : '*';
}

function union(all: readonly Words[]): VerbSelection {
  return together(all.map((words) => (words === '*' ? words : words.map(({ text }) => text))));
}

function together(all: readonly VerbSelection[]): VerbSelection {
  const names = new Set<string>();
  for (const each of all) {
    if (each === '*') return '*';
    for (const name of each) names.add(name);
  }
  return [...names];
}
