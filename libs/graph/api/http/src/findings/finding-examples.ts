/** Examples of findings and decisions on the documentation's estate; a test compares them. */
import { entityId } from '#graph/model';
import { VERSION } from '#platform/foundation';
import { EXAMPLE_RULE, EXAMPLE_RULE_ID, RULES_BODY } from '../policies/policy-examples.ts';

const AT = '2026-11-21T06:00:00.000Z';
const HOST_ID = entityId('host', 'web-02');

export const EXAMPLE_FINDING_ID = `${EXAMPLE_RULE_ID}:${HOST_ID}`;

/** Ends tomorrow, whenever the example is sent. */
const UNTIL = new Date(Date.now() + 86_400_000).toISOString();

export const DECISION_EXAMPLE = { state: 'accepted', reason: 'Switched off in March.', until: UNTIL };

export const ASSIGNMENT_EXAMPLE = { assignee: 'carol' };

const FINDING = {
  finding_id: EXAMPLE_FINDING_ID,
  rule_id: EXAMPLE_RULE_ID,
  name: EXAMPLE_RULE.name,
  severity: EXAMPLE_RULE.severity,
  label: 'host web-02',
  class: 'Host',
  entity_id: HOST_ID,
  state: 'accepted',
  first_seen: AT,
  opened_at: AT,
  evaluated_at: AT,
  rule_status: 'Fail',
};
const WAIVER = { ...decisionFacts(), by: 'anyone', at: AT, origin: 'decision' };
const ASSIGNMENT = { ...ASSIGNMENT_EXAMPLE, by: 'anyone', at: AT };
const PROOF = {
  pql:
    `FIND Host AS found WITH env = $env AND _id = '${HOST_ID}' ` +
    'THAT !PROTECTS edr_agent RETURN found LIMIT 100',
  params: { env: 'prod' },
};

export const FINDING_EXAMPLE = { ...FINDING, waiver: WAIVER, assignment: ASSIGNMENT, proof: PROOF };

export const FINDING_LIST_EXAMPLE = {
  count: 3,
  states: { open: 2, waived: 0, accepted: 1 },
  unknown_count: 0,
  classes: ['Host', 'User'],
  assignees: ['carol'],
  findings: [openFinding('bob'), openFinding('carol'), FINDING_EXAMPLE],
};

export const CSV_EXAMPLE = `severity,state,finding,class,rule_id,rule,…\r
high,accepted,host web-02,Host,${EXAMPLE_RULE_ID},${EXAMPLE_RULE.name},…\r
`;

export const SARIF_EXAMPLE = {
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  version: '2.1.0',
  runs: [
    {
      tool: { driver: { name: 'plexus', version: VERSION, rules: [] } },
      results: [],
      properties: { total_results: 0, omitted_results: 0 },
    },
  ],
};

function openFinding(key: string): object {
  const { id, severity, query } = RULES_BODY.rules[1];
  const entity = entityId('user', key);
  return {
    finding_id: `${id}:${entity}`,
    rule_id: id,
    name: id,
    severity,
    label: `user ${key}`,
    class: 'User',
    entity_id: entity,
    state: 'open',
    first_seen: AT,
    opened_at: AT,
    evaluated_at: AT,
    rule_status: 'Fail',
    proof: { pql: `${query} AND _id = '${entity}' LIMIT 100`, params: {} },
  };
}

function decisionFacts(): { readonly reason: string; readonly until: string } {
  const { reason, until } = DECISION_EXAMPLE;
  return { reason, until };
}
