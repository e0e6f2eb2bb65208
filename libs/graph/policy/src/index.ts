export { DECISION_DAYS_MAX } from './service/finding-decision.ts';
export {
  FINDING_ORDERS,
  type FindingFilter,
  type FindingOrder,
  type FindingState,
} from './service/finding-filter.ts';
export type { FindingList, ListedFinding } from './service/finding-list.ts';
export { DECISION_STATES, type DecisionState } from './evaluation/outcome.ts';
export { findingsCsv, findingsSarif } from './report/finding-report.ts';
export {
  cutFindings,
  type ReportedFinding,
  type ReportLine,
  type SourcePlace,
  totalsOf,
} from './report/rule-report.ts';
export { SARIF_RESULTS_MAX, sarifReport } from './report/sarif.ts';
export { statementWhere } from './evaluation/cypher-proof.ts';
export { evaluateRule } from './evaluation/evaluate-rule.ts';
export { type RuleTestResult, runRuleTests } from './evaluation/run-rule-tests.ts';
export { EvaluationPool } from './pool/evaluation-pool.ts';
export type { EntityFindings, RuleFindings } from './service/rule-findings.ts';
export type { ScoreHistory } from './service/score-log.ts';
export { type Freshness, type Posture, postureOf } from './service/posture.ts';
export { parseRule, parseRules } from './rule/parse-rules.ts';
export { compileException, createRuleEngine } from './rule/rule-query.ts';
export { jsonSource, type RuleSource, yamlSource } from './rule/rule-source.ts';
export { type FrameworkControl, type Rule, SEVERITIES, type Severity } from './rule/rule.ts';
export { EVALUATION_TRIGGERS } from './service/evaluation.ts';
export type {
  Evaluation,
  EvaluationRequest,
  EvaluationSummary,
  LastRun,
  RatedRule,
  PastEvaluation,
  RuleResult,
} from './service/evaluation.ts';
export { type FindingsDiff, type PastRequest } from './service/findings-diff.ts';
export { PastPolicies } from './service/past-policies.ts';
export type { RuleAnswers } from './service/rules-in-scope.ts';
export { Policies, VIOLATIONS_MAX } from './service/policies.ts';
export {
  EvaluationListener,
  type EvaluationNews,
  type FindingNote,
  NAMESPACE as POLICY_NAMESPACE,
  type PolicyDocuments,
  type PolicyGraph,
  transientDocuments,
} from './service/policy-ports.ts';
export { PolicySettings } from './service/policy-settings.ts';
export { PolicyScheduler } from './service/policy-scheduler.ts';
export { type PlacedRule, readPlacedRules, readRuleFiles } from './service/rule-files.ts';
export { type BookedRule, isMapped, type RuleOrigin, type RulesReply } from './service/rule-book.ts';
export { RuleFiles } from './service/rule-files.ts';
export { evaluationThreads, startEvaluationWorker } from './service/evaluation-thread.ts';
export { isFindingOf, POLICY_DOCUMENTS } from './service/policy-document-kinds.ts';
