export { evaluateRule } from './evaluation/evaluate-rule.ts';
export type { RuleOutcome, RuleStatus, RuleTask, Sighting, Violation } from './evaluation/outcome.ts';
export { type RuleTestResult, runRuleTests, type TestGraph } from './evaluation/run-rule-tests.ts';
export { parseRule, parseRules } from './rule/parse-rules.ts';
export { createRuleEngine } from './rule/rule-query.ts';
export { jsonSource, type RuleSource, yamlSource } from './rule/rule-source.ts';
export { type Rule, SEVERITIES, type Severity } from './rule/rule.ts';
