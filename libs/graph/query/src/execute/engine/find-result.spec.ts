import { describe, expect, it } from '@jest/globals';
import { entity, NaiveReader } from '#graph/testing';
import { QueryEngine } from './query-engine.ts';

const engine = new QueryEngine({ vocabulary: { hasClass: () => true, hasVerb: () => true } });

/** Groups of equal size. */
function bytesOf(groups: number, pql: string): number {
  const entities = Array.from({ length: groups }, (_, at) =>
    entity('host', 'Host', `h${String(at).padStart(4, '0')}`),
  );
  return engine.runSync(new NaiveReader({ entities, relationships: [] }), pql).memory();
}

describe('the memory of a result', () => {
  it.each(['FIND host GROUP BY _key', 'FIND host GROUP BY _key, _type RETURN _key, MIN(_key) AS least'])(
    'is so much for each group: %s',
    (pql) => {
      const one = bytesOf(1, pql);

      expect(one).toBeGreaterThan('h0000'.length);
      for (const groups of [0, 2, 255, 256, 257, 511, 512, 600]) {
        expect(bytesOf(groups, pql)).toBe(groups * one);
      }
    },
  );

  it('grows with longer strings and more keys', () => {
    expect(bytesOf(5, 'FIND host GROUP BY _id')).toBeGreaterThan(bytesOf(5, 'FIND host GROUP BY _key'));
    expect(bytesOf(5, 'FIND host GROUP BY _key, os')).toBeGreaterThan(bytesOf(5, 'FIND host GROUP BY _key'));
  });

  it('is four bytes for each entity, and nothing for a count', () => {
    expect(bytesOf(100, 'FIND host')).toBe(400);
    expect(bytesOf(100, 'FIND host RETURN COUNT')).toBe(0);
  });
});
