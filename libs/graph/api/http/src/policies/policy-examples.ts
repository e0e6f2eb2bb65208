/** Example rules and requests of the documentation; a test sends each of them. */
export const EXAMPLE_RULE_ID = 'edr-coverage-001';

export const EXAMPLE_RULE = {
  name: 'Hosts without EDR',
  severity: 'high',
  query: 'FIND Host WITH env = $env THAT !PROTECTS edr_agent',
  population: 'FIND Host WITH env = $env',
  parameters: { env: { type: 'string', default: 'prod' } },
  frameworks: [{ framework: 'CIS-Controls-v8', control: '10.1', title: 'Deploy anti-malware software' }],
  remediation: 'Deploy the agent.',
  exceptions: [{ match: "_key = 'lab-1'", reason: 'lab', approver: 'alice', expires: '2027-01-01' }],
  tests: [
    {
      name: 'an unprotected host fails',
      entities: [{ type: 'host', key: 'h1', class: 'Host', properties: { env: 'prod' } }],
      expect: { status: 'fail', violations: ['h1'] },
    },
  ],
};

export const RULES_BODY = {
  rules: [
    { id: EXAMPLE_RULE_ID, ...EXAMPLE_RULE },
    { id: 'mfa-001', severity: 'critical', query: 'FIND user WITH mfa_enabled != true' },
  ],
} as const;

export const EVALUATION_EXAMPLES = {
  all: { summary: 'every rule', value: {} },
  some: {
    summary: 'the severe rules of a framework',
    value: { frameworks: ['CIS-Controls-v8'], severity_min: 'high' },
  },
  whatIf: {
    summary: 'other parameters',
    value: { rule_ids: [EXAMPLE_RULE_ID], params: { env: 'dev' }, limit: 10 },
  },
};
