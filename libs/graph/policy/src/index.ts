export { evaluateRule } from './evaluation/evaluate-rule.ts';
export type {
  Population,
  RuleOutcome,
  RuleStatus,
  RuleTask,
  RuleWarning,
  Sightings,
  RuleViolation,
  Waiver,
} from './evaluation/outcome.ts';
export { type RuleTestResult, runRuleTests, type TestGraph } from './evaluation/run-rule-tests.ts';
export { EvaluationPool, type EvaluationPoolOptions } from './pool/evaluation-pool.ts';
export type { Finding, RuleFindings } from './service/rule-findings.ts';
export type { CountedScore, ScoreHistory, ScorePoint } from './service/score-log.ts';
export {
  type ControlPosture,
  type ControlStatus,
  type FailingRule,
  type Posture,
  postureOf,
} from './service/posture.ts';
export { parseRule, parseRules } from './rule/parse-rules.ts';
export { compileException, createRuleEngine } from './rule/rule-query.ts';
export { jsonSource, type RuleSource, yamlSource } from './rule/rule-source.ts';
export { type FrameworkControl, type Rule, SEVERITIES, type Severity } from './rule/rule.ts';
export { EVALUATION_TRIGGERS } from './service/evaluation.ts';
export type {
  Evaluation,
  EvaluationRequest,
  EvaluationSummary,
  EvaluationTotals,
  EvaluationTrigger,
  LastRun,
  PastEvaluation,
  PastResult,
  RuleResult,
  SeenViolation,
} from './service/evaluation.ts';
export { Policies, type PoliciesOptions, VIOLATIONS_MAX } from './service/policies.ts';
export {
  EvaluationListener,
  type EvaluationNews,
  type FindingNote,
  NAMESPACE as POLICY_NAMESPACE,
  type PolicyDocument,
  type PolicyDocuments,
  type PolicyLog,
  type RuleEvaluator,
  type SharedGraph,
} from './service/policy-ports.ts';
export { PolicyScheduler, type PolicySchedulerOptions } from './service/policy-scheduler.ts';
export { PolicySettings } from './service/policy-settings.ts';
export { readRuleFiles } from './service/rule-files.ts';
export type { BookedRule, RuleOrigin, RulesReply } from './service/rule-book.ts';
export { RuleFiles } from './service/rule-files.ts';
export { evaluationThreads, startEvaluationWorker } from './service/evaluation-thread.ts';
export { transientDocuments } from './service/transient-documents.ts';
