import { type GraphReader, ExecutionContext, MarkPool, Pace, ReaderStatistics } from '#graph/execution';
import type { Clock } from '#platform/foundation';

/** Each look at the clock finds the slice over. */
export function hurriedClock(): Clock {
  let ms = 0;
  return { nowMs: () => 0, monotonicMs: () => (ms += 1_000) };
}

/** What a run works with that may hold anything, and gives way whenever it may. */
export function executionContextOf(
  reader: GraphReader,
  statistics = new ReaderStatistics(reader),
): ExecutionContext {
  return new ExecutionContext({
    reader,
    statistics,
    pace: new Pace(hurriedClock()),
    marks: new MarkPool(),
    slotsMax: Infinity,
    trailLinksMax: Infinity,
    memoryMax: Infinity,
  });
}
