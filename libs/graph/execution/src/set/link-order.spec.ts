import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { entity, NaiveReader, relationship } from '#graph/testing';
import { compareLinks } from './link-order.ts';

const [a, b, c] = [entity('host', 'Host', 'b'), entity('host', 'Host', 'a'), entity('app', 'App', 'z')];
const keyed = (key: string) => ({ ...relationship(a, 'USES', b), key });

/** Links in result order: by source, target, case-folded verb and key. */
const IN_ORDER = [
  relationship(c, 'USES', c),
  relationship(c, 'USES', b),
  relationship(b, 'uses', a),
  relationship(a, 'USES', c),
  relationship(a, 'needs', b),
  relationship(a, 'USES', b),
  keyed('10'),
  keyed('9'),
  keyed('a'),
  keyed('b'),
  keyed('😀'),
  relationship(a, 'views', b),
  relationship(a, 'RUNS', a),
];

describe('relationships', () => {
  it('are ordered by their ends, verbs and keys, independent of their storage', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(IN_ORDER, { minLength: IN_ORDER.length }), (relationships) => {
        const reader = new NaiveReader({ entities: [a, b, c], relationships });

        const order = [...relationships.keys()].sort((one, other) => compareLinks(reader, one, other));

        expect(order.map((link) => relationships[link])).toEqual(IN_ORDER);
        expect(order.map((link) => compareLinks(reader, link, link))).toEqual(order.map(() => 0));
      }),
    );
  });
});
