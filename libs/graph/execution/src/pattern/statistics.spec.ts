import { describe, expect, it } from '@jest/globals';
import type { Direction, Selection, VerbSelection } from '#graph/model';
import { FIXTURE, NaiveReader } from '#graph/testing';
import { ReaderStatistics } from './statistics.ts';

class AskedReader extends NaiveReader {
  readonly asked: string[] = [];

  override estimate(selection: Selection): number {
    this.asked.push(selection.filter === undefined ? 'names' : 'filter');
    return super.estimate(selection);
  }

  override adjacency(verbs: VerbSelection, direction: Direction) {
    this.asked.push(direction);
    return super.adjacency(verbs, direction);
  }
}

describe('statistics', () => {
  it('are read once and then cached', () => {
    const reader = new AskedReader(FIXTURE);
    const statistics = new ReaderStatistics(reader);
    const names = ['host'];
    const isLinux: Selection = {
      names,
      filter: { kind: 'test', field: 'os', test: { matches: (value) => value === 'linux' } },
    };
    const verbs = ['RUNS'];

    const told = [0, 1].map(() => [
      statistics.estimate({ names }),
      statistics.estimateNames(isLinux),
      statistics.estimate(isLinux),
      statistics.linkCount(verbs, 'out'),
      statistics.linkCount(verbs, 'in'),
      statistics.adjacency(verbs, 'out').linkCount,
    ]);

    expect(told[0]).toEqual([4, 4, 3, 3, 3, 3]);
    expect(told[1]).toEqual(told[0]);
    expect(reader.asked).toEqual(['names', 'filter', 'out', 'in']);
  });
});
