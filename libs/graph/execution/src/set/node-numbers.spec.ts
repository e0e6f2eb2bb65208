import { describe, expect, it } from '@jest/globals';
import { NaiveReader, executionContextOf } from '#graph/testing';
import { completed } from '#platform/foundation';
import { NodeList } from '../context/node-list.ts';
import { ascending, newNodes } from './node-numbers.ts';

const context = executionContextOf(new NaiveReader({ entities: [], relationships: [] }));

/** All numbers below `bound`, twice, unordered. */
function shuffledTwice(bound: number): Uint32Array {
  return Uint32Array.from({ length: 2 * bound }, (_, at) => (at * 7_919) % bound);
}

/** Around the boundaries of 32-bit words and of the batch that is sorted at once. */
const BOUNDS = [4_095, 4_096, 4_097, 4_127, 4_128, 4_129, 8_191, 8_192, 8_193, 10_000];

describe('node numbers', () => {
  it.each(BOUNDS)('of many nodes below %d are each listed once, ascending', (bound) => {
    const found = completed(ascending(NodeList.of(shuffledTwice(bound)), bound, context.pace));

    expect(found).toEqual(Uint32Array.from({ length: bound }, (_, node) => node));
  });

  it('of a few nodes are listed ascending', () => {
    const found = completed(ascending(NodeList.of(Uint32Array.of(70, 3, 5_000)), 5_001, context.pace));

    expect([...found]).toEqual([3, 70, 5_000]);
  });

  it.each([10, 100_000])('are new once, when %d of them may be asked about', (many) => {
    const wide = executionContextOf(new NaiveReader({ entities: [], relationships: [] }));
    const isNew = newNodes(wide, many);

    expect([7, 8, 7, 0, 8, 0, 9].map(isNew)).toEqual([true, true, false, true, false, false, true]);
  });
});
