import { describe, expect, it } from '@jest/globals';
import { SeqProgress } from './seq-progress.ts';

const seqsOf = ({ applied, published, changed }: SeqProgress) => [applied, published, changed];

describe('the progress of a store', () => {
  it('publishes what is applied and durable, once', () => {
    const progress = new SeqProgress(5);
    progress.apply(6, { isChange: true });
    progress.apply(7, { isChange: true });

    expect([progress.publish(6), progress.isPublished, seqsOf(progress)]).toEqual([true, false, [7, 6, 6]]);
    expect([progress.publish(9), progress.isPublished, seqsOf(progress)]).toEqual([true, true, [7, 7, 7]]);
    expect([progress.publish(9), seqsOf(progress)]).toEqual([false, [7, 7, 7]]);
  });

  it('has no change of the graph in a batch of other records', () => {
    const progress = new SeqProgress(5);
    progress.apply(6, { isChange: false });
    progress.publish(6);

    expect(seqsOf(progress)).toEqual([6, 6, 5]);
  });

  it('goes back to the last batch that is kept', () => {
    const progress = new SeqProgress(5);
    progress.apply(6, { isChange: true });
    progress.apply(7, { isChange: true });
    progress.discard(6);

    expect([progress.applied, progress.isPublished]).toEqual([6, false]);
    progress.publish(9);
    expect(seqsOf(progress)).toEqual([6, 6, 6]);
  });
});
