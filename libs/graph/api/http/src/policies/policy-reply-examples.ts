/** Replies to the examples of requests, on the documentation's estate; a test compares them. */
import { entityId } from '#graph/model';
import { EXAMPLE_RULE, EXAMPLE_RULE_ID, RULES_BODY } from './policy-examples.ts';

const AT = '2026-11-21T06:00:00.000Z';
const EVALUATION_ID = '20261121T060000000Z-1f6b07aa';
const MFA_RULE = RULES_BODY.rules[1];
const RULE_DEFAULTS = {
  description: '',
  parameters: {},
  expect: { rows: 0 },
  identity: [],
  frameworks: [],
  tags: [],
  schedule: 'manual',
  remediation: '',
  exceptions: [],
  enabled: true,
  may_be_absent: [],
  tests: [],
  origin: 'api',
};

const EDR = { rule_id: EXAMPLE_RULE_ID, name: 'Hosts without EDR', severity: 'high', status: 'Fail' };
const MFA = { rule_id: 'mfa-001', name: 'mfa-001', severity: 'critical', status: 'Fail' };
const EDR_COUNTS = { violation_count: 1, waived_count: 0, population: { total: 3, passing: 2 } };
const MFA_COUNTS = { violation_count: 2, waived_count: 0 };

export const LOADED_EXAMPLE = { loaded: 2, added: 2, updated: 0, removed: 0 };

export const RULE_EXAMPLE = {
  ...RULE_DEFAULTS,
  id: EXAMPLE_RULE_ID,
  ...EXAMPLE_RULE,
  tests: EXAMPLE_RULE.tests.map((test) => ({ ...test, relationships: [], params: {} })),
  last_run: lastRun(1),
};

export const RULE_LIST_EXAMPLE = {
  count: 2,
  rules: [RULE_EXAMPLE, { ...RULE_DEFAULTS, ...MFA_RULE, name: 'mfa-001', last_run: lastRun(2) }],
};

const EVALUATION_FACTS = {
  evaluation_id: EVALUATION_ID,
  snapshot_version: 2,
  started_at: AT,
  duration_ms: 4.21,
  total: 2,
  pass: 0,
  fail: 2,
  error: 0,
  no_data: 0,
  skipped: 0,
  waived: 0,
};

export const EVALUATION_EXAMPLE = {
  ...EVALUATION_FACTS,
  results: [
    {
      ...EDR,
      ...EDR_COUNTS,
      violations: [violation(EXAMPLE_RULE_ID, 'host', 'web-02')],
      error: null,
      duration_ms: 0.74,
    },
    {
      ...MFA,
      ...MFA_COUNTS,
      violations: [violation('mfa-001', 'user', 'bob'), violation('mfa-001', 'user', 'carol')],
      error: null,
      duration_ms: 0.31,
    },
  ],
};

const SUMMARY = { ...EVALUATION_FACTS, trigger: 'request', new_count: 3, resolved_count: 0 };

export const EVALUATION_LIST_EXAMPLE = { count: 1, evaluations: [SUMMARY] };

export const PAST_EVALUATION_EXAMPLE = {
  ...SUMMARY,
  results: [
    { ...EDR, ...EDR_COUNTS, ...pastOf([note(EXAMPLE_RULE_ID, 'host', 'web-02')]) },
    { ...MFA, ...MFA_COUNTS, ...pastOf([note('mfa-001', 'user', 'bob'), note('mfa-001', 'user', 'carol')]) },
  ],
};

export const POSTURE_EXAMPLE = {
  framework: 'all',
  overall_score: 0,
  weighted_score: 0,
  rules_with_data: 2,
  rules_without_data: 0,
  rules_waived: 0,
  evaluated_at: AT,
  outdated_rules: 0,
  controls: [
    {
      framework: 'CIS-Controls-v8',
      control_id: '10.1',
      title: 'Deploy anti-malware software',
      status: 'Fail',
      rule_count: 1,
      pass_count: 0,
      fail_count: 1,
      error_count: 0,
      no_data_count: 0,
      waived_count: 0,
    },
  ],
  by_severity: {
    critical: { total: 1, pass: 0, fail: 1, no_data: 0, waived: 0 },
    high: { total: 1, pass: 0, fail: 1, no_data: 0, waived: 0 },
    medium: { total: 0, pass: 0, fail: 0, no_data: 0, waived: 0 },
    low: { total: 0, pass: 0, fail: 0, no_data: 0, waived: 0 },
    info: { total: 0, pass: 0, fail: 0, no_data: 0, waived: 0 },
  },
  failing_rules: [
    { ...MFA, violation_count: 2 },
    { ...EDR, violation_count: 1 },
  ],
};

export const SCORE_HISTORY_EXAMPLE = {
  framework: 'all',
  count: 1,
  evaluated_at: AT,
  outdated_rules: 0,
  points: [
    {
      evaluation_id: EVALUATION_ID,
      at: AT,
      trigger: 'request',
      snapshot_version: 2,
      overall_score: 0,
      weighted_score: 0,
      rules_with_data: 2,
      rules_without_data: 0,
      rules_waived: 0,
      pass_count: 0,
      fail_count: 2,
      error_count: 0,
      not_evaluated_count: 0,
    },
  ],
};

export const FINDINGS_EXAMPLE = {
  rule_id: EXAMPLE_RULE_ID,
  name: 'Hosts without EDR',
  severity: 'high',
  status: 'Fail',
  looked_at: AT,
  snapshot_version: 2,
  query: { pql: EXAMPLE_RULE.query, params: { env: 'prod' } },
  population_query: { pql: EXAMPLE_RULE.population, params: { env: 'prod' } },
  population: { total: 3, passing: 2 },
  violation_count: 1,
  waived_count: 0,
  findings: [
    {
      ...violation(EXAMPLE_RULE_ID, 'host', 'web-02'),
      proof: {
        pql:
          `FIND Host AS found WITH env = $env AND _id = '${entityId('host', 'web-02')}' ` +
          'THAT !PROTECTS edr_agent RETURN found LIMIT 100',
        params: { env: 'prod' },
      },
    },
  ],
  error: null,
};

export const ENTITY_FINDINGS_EXAMPLE = { count: 0, unknown_count: 0, findings: [] };

function lastRun(violations: number): object {
  const counts = { violation_count: violations, waived_count: 0 };
  return {
    evaluation_id: EVALUATION_ID,
    evaluated_at: AT,
    status: 'Fail',
    ...counts,
    data_changed: false,
    is_waived: false,
  };
}

function violation(ruleId: string, type: 'host' | 'user', key: string): object {
  const id = entityId(type, key);
  return {
    finding_id: `${ruleId}:${id}`,
    entity_id: id,
    type,
    key,
    class: classOf(type),
    display_name: key,
    first_seen: AT,
  };
}

function classOf(type: 'host' | 'user'): string {
  return type === 'host' ? 'Host' : 'User';
}

function note(ruleId: string, type: 'host' | 'user', key: string): object {
  return {
    finding_id: `${ruleId}:${entityId(type, key)}`,
    label: `${type} ${key}`,
    class: classOf(type),
    first_seen: AT,
  };
}

function pastOf(opened: readonly object[]): object {
  const counts = { new_count: opened.length, resolved_count: 0 };
  return { error: null, duration_ms: 0.74, ...counts, new: opened, resolved: [] };
}
