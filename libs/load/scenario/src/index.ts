export { type RunThreshold, thresholdsOf } from './default-thresholds.ts';
export { abortingThreshold, evaluateThresholds, type ThresholdOutcome } from './evaluate-thresholds.ts';
export { type ResolvedStage, resolveStages, shareOfStages, shareOfTotal } from './load-stage.ts';
export { applyOverrides, type Override, parseOverride } from './override.ts';
export { parseScenario } from './parse-scenario.ts';
export { scenarioDocument } from './scenario-document.ts';
export { fundingWei, isDevelopmentChain } from './scenario-rules.ts';
export { formatOfFile, parseScenarioText, type ScenarioFormat } from './scenario-text.ts';
export { EXPECTABLE_ERRORS, MIX_KINDS, type Scenario } from './scenario.ts';
export {
  hasSecretUrls,
  readUrlsOf,
  redactedText,
  sendUrlsOf,
  type TargetUrls,
  targetUrls,
} from './target-urls.ts';
export { type CountedMetric, HISTOGRAM_OF, latencyParts, type ThresholdMetric } from './threshold-metric.ts';
