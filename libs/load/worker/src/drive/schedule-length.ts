import type { EdgePlan } from '../plan/edge-plan.ts';
import { RandomSource } from './random-source.ts';
import { Arrivals } from './arrivals.ts';
import { LoadCurve } from './load-curve.ts';

/** Drawn in a row, before others get their turn. */
const DRAWN_A_TURN = 10_000;
/** A longer schedule is not drawn: its curve's own area is as good, to less than a part in a thousand. */
const DRAWN_MAX = 50_000_000;
const MS_PER_S = 1_000;

/**
 * How many transactions each stage of a plan asks for: drawn from its load curve and seed as the edge draws
 * them, whatever becomes of the edge. Null in the closed model, where users ask, and when it is aborted.
 */
export async function scheduleLengths(
  { load, randomSeed }: Pick<EdgePlan, 'load' | 'randomSeed'>,
  signal?: AbortSignal,
): Promise<readonly number[] | null> {
  if (load.model === 'closed') return null;
  const areas = load.stages.map(({ startRate, endRate, durationMs }) => {
    return Math.round((((startRate + endRate) / 2) * durationMs) / MS_PER_S);
  });
  if (areas.reduce((sum, area) => sum + area, 0) > DRAWN_MAX) return areas;
  const lengths = load.stages.map(() => 0);
  const arrivals = new Arrivals(new LoadCurve(load.stages), new RandomSource(randomSeed), load.arrival);
  for (let drawn = 1; arrivals.next !== undefined; drawn++) {
    const { stage } = arrivals.next;
    lengths[stage] = (lengths[stage] ?? 0) + 1;
    arrivals.advance();
    if (drawn % DRAWN_A_TURN !== 0) continue;
    await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted === true) return null;
  }
  return lengths;
}
