export {
  type RunThreshold,
  thresholdsOf,
  abortingThreshold,
  type Bounds,
  evaluateThresholds,
  type ThresholdOutcome,
} from './evaluate-thresholds.ts';
export { type ArtifactReader, withArtifacts } from './contract-artifact.ts';
export { checkScenarioText, type PlacedScenarioFault } from './check-scenario.ts';
export { type ResolvedStage, resolveStages, shareOfStages, shareOfTotal } from './load-stage.ts';
export { importContender, type ImportedScenario } from './import-contender.ts';
export { applyOverrides, type Override, parseOverride } from './override.ts';
export { parseScenario, fundingWei, isDevelopmentChain } from './parse-scenario.ts';
export {
  scenarioDocument,
  hasSecretUrls,
  readUrlsOf,
  redactedText,
  sendUrlsOf,
  type TargetUrls,
  targetUrls,
} from './scenario-document.ts';
export { formatOfFile, parseScenarioText, type ScenarioFormat } from './scenario-text.ts';
export { parseObjectives, type ServiceObjective } from './service-objective.ts';
export {
  edgesNeeded,
  EXPECTABLE_ERRORS,
  hasOwnAccounts,
  MIX_KINDS,
  needsFunder,
  type Scenario,
} from './scenario.ts';
export { type CountedMetric, HISTOGRAM_OF, latencyParts, type ThresholdMetric } from './threshold-metric.ts';
