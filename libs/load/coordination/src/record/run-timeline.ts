import type { RunStage } from '#load/report';
import { type ResolvedStage, resolveStages, type Scenario } from '#load/scenario';

const US_PER_MS = 1_000;

/** The stages of a run with their times, in µs since 1970. */
export class RunTimeline {
  readonly stages: readonly RunStage[];

  constructor({ load }: Scenario, startAtUs: number) {
    let fromUs = startAtUs;
    this.stages = resolveStages(load).map((stage) => {
      const record = stageRecord(stage, fromUs);
      fromUs = record.to_us;
      return record;
    });
  }

  get endUs(): number {
    return this.stages.at(-1)?.to_us ?? 0;
  }

  /** Undefined before the first stage and after the last. */
  stageAt(nowUs: number): RunStage | undefined {
    return this.stages.find(({ from_us: fromUs, to_us: toUs }) => nowUs >= fromUs && nowUs < toUs);
  }

  /** The planned rate of all edges, without later changes; null outside of the stages. */
  rateAt(nowUs: number): number | null {
    const stage = this.stageAt(nowUs);
    if (stage === undefined) return null;
    const gone = (nowUs - stage.from_us) / (stage.to_us - stage.from_us);
    return stage.start_rate + (stage.end_rate - stage.start_rate) * gone;
  }

  /** Elapsed time of the stages that are not excluded, in ms. */
  measuredMs(nowUs: number): number {
    const measured = this.stages.filter(({ is_excluded: isExcluded }) => !isExcluded);
    const us = measured.reduce(
      (sum, { from_us: fromUs, to_us: toUs }) => sum + Math.max(0, Math.min(nowUs, toUs) - fromUs),
      0,
    );
    return us / US_PER_MS;
  }
}

function stageRecord(
  { name, durationMs, startRate, endRate, isExcluded }: ResolvedStage,
  fromUs: number,
): RunStage {
  return {
    name,
    from_us: fromUs,
    to_us: fromUs + durationMs * US_PER_MS,
    start_rate: startRate,
    end_rate: endRate,
    is_excluded: isExcluded,
  };
}
