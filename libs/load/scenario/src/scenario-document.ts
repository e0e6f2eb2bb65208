import type { Scenario } from './scenario.ts';
import { durationText } from '#platform/config';
import { redactedUrls } from './target-urls.ts';

/** A scenario as its parser reads it as the same, but for secrets of URLs: durations as texts. */
export function scenarioDocument(scenario: Scenario): Readonly<Record<string, unknown>> {
  const { load, correlation, thresholds } = scenario;
  return {
    ...scenario,
    target: { ...scenario.target, ...redactedUrls(scenario.target) },
    load: {
      ...load,
      stages: load.stages.map((stage) => ({ ...stage, duration: durationText(stage.duration) })),
    },
    correlation: { ...correlation, timeout: durationText(correlation.timeout) },
    thresholds: thresholds.map((threshold) => ({ ...threshold, after: durationText(threshold.after) })),
  };
}
