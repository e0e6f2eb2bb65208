/** Compares the matches that are kept and counted with an ordering of all of them. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MemoryGraph } from '#graph/memory';
import { putEntity, TEST_OPTIONS } from '#graph/testing';
import { Matches } from './matches.ts';

const TYPES = ['host', 'lake', 'user'];
const NODES = 60;

describe('matches', () => {
  it('keep the best in order, and count all by type', async () => {
    const graph = MemoryGraph.create(TEST_OPTIONS);
    for (let at = 0; at < NODES; at++) {
      if (at === NODES / 2) {
        graph.publish(1);
        await graph.seal();
      }
      const type = TYPES[(at * at) % TYPES.length] ?? '';
      putEntity(graph, at < NODES / 2 ? 1 : 2, {
        type,
        class: 'Thing',
        key: `k${at}`,
        displayName: '',
        properties: {},
      });
    }
    graph.publish(2);
    const snapshot = graph.snapshot();
    const nodes = Array.from({ length: NODES }, (_, node) => node);

    fc.assert(
      fc.property(
        fc.shuffledSubarray(nodes),
        fc.array(fc.nat(4), { minLength: NODES, maxLength: NODES }),
        fc.integer({ min: 1, max: NODES + 2 }),
        (found, scores, limit) => {
          const matches = new Matches(snapshot, limit);
          for (const node of found) matches.add(node, scores[node] ?? 0);

          const ordered = found.toSorted(
            (a, b) => (scores[a] ?? 0) - (scores[b] ?? 0) || snapshot.compare(a, b),
          );
          expect(matches.best()).toEqual(ordered.slice(0, limit));
          expect(matches.count).toBe(found.length);
          for (const type of TYPES) {
            const ofType = found.filter((node) => snapshot.nodeField(node, '_type') === type).length;
            const counted = matches.counts().find((each) => each.type === type)?.count ?? 0;
            expect(counted).toBe(ofType);
          }
          const counts = matches.counts().map(({ count }) => count);
          expect(counts).toEqual(counts.toSorted((a, b) => b - a));
        },
      ),
    );
    snapshot.release();
    await graph.close();
  });
});
