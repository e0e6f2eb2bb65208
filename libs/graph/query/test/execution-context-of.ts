import type { GraphReader } from '#graph/execution';
import type { Clock } from '#platform/foundation';
import { ExecutionContext } from '../src/execute/context/execution-context.ts';
import { MarkPool } from '../src/execute/context/node-marks.ts';
import { Pace } from '../src/execute/context/pace.ts';
import { ReaderStatistics } from '../src/plan/statistics.ts';
import { TextWork } from '../src/value/text-work.ts';

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
    pace: new Pace(hurriedClock(), new TextWork()),
    marks: new MarkPool(),
    slotsMax: Infinity,
    trailLinksMax: Infinity,
    memoryMax: Infinity,
  });
}
