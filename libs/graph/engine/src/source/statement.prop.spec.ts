import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { inRank, type Statement, unionOf } from './statement.ts';

const CONNECTORS = ['a', 'b', 'c', 'd'];

/** Each source states its own field, and all of them state the field `os`. */
const statements: fc.Arbitrary<readonly Statement[]> = fc
  .shuffledSubarray(CONNECTORS, { minLength: 1 })
  .chain((connectors) =>
    fc
      .uniqueArray(fc.nat({ max: 20 }), { minLength: connectors.length, maxLength: connectors.length })
      .map((orders) =>
        connectors.map((connectorId, at) => {
          const fields = { os: `of ${connectorId}`, [connectorId]: 1 };
          return { connectorId, syncId: '1', sinceMs: 0, order: orders[at] ?? 0, fields, earlier: {} };
        }),
      ),
  );
const priorities = fc.array(fc.nat({ max: 1 }), { minLength: 4, maxLength: 4 });

describe('the sources of a record', () => {
  it('are listed by precedence: each wins over the later ones', () => {
    const law = fc.property(statements, priorities, (stated, given) => {
      const priorityOf = (connectorId: string): number => given[CONNECTORS.indexOf(connectorId)] ?? 0;

      const ranked = inRank(stated, priorityOf);

      for (const [at, first] of ranked.entries()) {
        const rest = ranked.slice(at);
        expect(unionOf(rest.toReversed(), priorityOf)).toEqual({
          ...Object.fromEntries(rest.map(({ connectorId }) => [connectorId, 1])),
          os: first.fields['os'],
        });
      }
      expect(ranked).toHaveLength(stated.length);
    });
    fc.assert(law);
  });
});
