export { buildReport } from './build-report.ts';
export { reportSummary } from './report-summary.ts';
export { compareReports, type ReportComparison } from './compare-reports.ts';
export {
  judgeStep,
  type MaximumFound,
  type SearchStep,
  STEP_ENDS,
  type StepEnd,
} from './search/search-step.ts';
export { MaximumSearch } from './search/maximum-search.ts';
export { renderSearch, searchHeadline } from './search/render-search.ts';
export { renderComparison } from './render/render-comparison.ts';
export { renderHtml } from './render/render-html.ts';
export { renderJUnit } from './render/render-junit.ts';
export type { Report } from './data/report.ts';
export { boundOf } from './verdict/reason-rules.ts';
export {
  decidingReasons,
  exitCodeOf,
  headlineOf,
  type RunVerdict,
  VERDICT_STATES,
} from './verdict/run-verdict.ts';
export { verdictOfRun } from './verdict-of-run.ts';
export type {
  RunEdge,
  RunFinding,
  RunNotSent,
  RunPart,
  RunRateChange,
  RunSetup,
  RunStage,
  ReportedThreshold,
  RunVerdictRecord,
} from './data/run-record.ts';
