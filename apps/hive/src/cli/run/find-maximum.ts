import { judgeStep, type MaximumFound, MaximumSearch, type Report, type SearchStep } from '#load/report';
import { parseObjectives, parseScenario } from '#load/scenario';
import { EXIT } from '#platform/cli';

/** What a search for the highest rate needs to know. */
export interface MaximumOptions {
  /** Objectives such as `p99<500ms,failed<1%`. */
  readonly objectives: string;
  readonly from: number;
  readonly to: number;
  /** Share of the rate. */
  readonly precision: number;
  /** Time of each step, without its warm-up. */
  readonly stepMs: number;
  /** Runs a scenario to its end; undefined after an interruption. */
  readonly run: (document: unknown) => Promise<Report | undefined>;
  readonly onStep: (step: SearchStep) => void;
}

const WARM_SHARE = 0.25;
const WARM_MS_MAX = 10_000;

/**
 * Runs the scenario at one rate after another, each a run of its own with its checks, and narrows down the
 * highest one at which the objectives are met. Throws SCENARIO_INVALID.
 */
export async function findMaximum(document: unknown, options: MaximumOptions): Promise<MaximumFound> {
  const { name, correlation } = parseScenario(document);
  const objectives = parseObjectives(options.objectives, correlation.feed !== 'off');
  const search = new MaximumSearch(options);
  let isInterrupted = false;
  for (let rate = search.next; rate !== undefined && !isInterrupted; rate = search.next) {
    const report = await options.run(stepOf(document, { rate, stepMs: options.stepMs, objectives }));
    if (report === undefined) isInterrupted = true;
    else {
      const step = judgeStep(
        report,
        rate,
        objectives.map(({ metric }) => metric),
      );
      search.add(step);
      options.onStep(step);
    }
  }
  return { name, objectives: options.objectives, ...search.found(isInterrupted) };
}

/** The scenario at a constant rate, with the objectives in place of its thresholds of the same metrics. */
function stepOf(
  document: unknown,
  {
    rate,
    stepMs,
    objectives,
  }: { rate: number; stepMs: number; objectives: readonly { readonly metric: string }[] },
): unknown {
  const scenario = document as Readonly<Record<string, unknown>>;
  const own = Object.entries(scenario['load'] as object).filter(([key]) => key !== 'users');
  const load = Object.fromEntries(own) as Readonly<Record<string, unknown>>;
  const warmMs = Math.min(Math.round(stepMs * WARM_SHARE), WARM_MS_MAX);
  const stages = [
    { name: 'warm', duration: `${warmMs}ms`, rate, exclude: true },
    { name: 'step', duration: `${stepMs}ms`, rate },
  ];
  const given = (scenario['thresholds'] ?? []) as readonly { readonly metric: string }[];
  const others = given.filter(({ metric }) => !objectives.some((one) => one.metric === metric));
  return {
    ...scenario,
    name: `${String(scenario['name']).slice(0, NAME_CHARACTERS_MAX)} at ${rate}/s`,
    load: { ...load, model: 'open', stages },
    thresholds: [...others, ...objectives],
  };
}

const NAME_CHARACTERS_MAX = 80;

/** 0 with a maximum that the target has; 12 with one that something else has limited. */
export function exitCodeOfSearch(
  { maximum, limited_by: limit }: MaximumFound,
  allowsUnknown: boolean,
): number {
  if (limit === 'failed') return EXIT.failed;
  if (limit === 'violated') return 11;
  if (maximum === null) return limit === 'missed' ? 10 : 12;
  return limit === 'missed' || allowsUnknown ? EXIT.ok : 12;
}
