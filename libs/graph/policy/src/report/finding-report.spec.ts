import { beforeEach, describe, expect, it } from '@jest/globals';
import { entityId } from '#graph/model';
import { PolicyWorld, rulesOf, START_MS } from '../../test/policy-world.ts';
import { sarifFaults } from '../../test/sarif-schema.ts';
import type { FoundFinding } from '../service/finding-filter.ts';
import { findingsCsv, findingsSarif } from './finding-report.ts';

const HOSTS = { id: 'hosts', name: 'Hosts, "all"', severity: 'high', query: 'FIND host' };
const GROUPS = { id: 'groups', severity: 'low', query: 'FIND host GROUP BY env' };
const WEB_01 = `hosts:${entityId('host', 'web-01')}`;
const UNTIL = new Date(START_MS + 1_000).toISOString();
const AT = new Date(START_MS).toISOString();

describe('a list of findings as a file', () => {
  let found: readonly FoundFinding[];

  beforeEach(async () => {
    const policies = await new PolicyWorld().open();
    const { register } = policies;
    await policies.rules.change(rulesOf(HOSTS, GROUPS), 'replace');
    await policies.evaluate();
    await register.decide(WEB_01, { state: 'accepted', reason: 'old', until: UNTIL }, 'alice');
    await register.assign(WEB_01, 'carol', 'alice');
    found = register.found().chosen({}, { by: 'label', isDescending: false });
  });

  it('has a line for each of them in CSV, of entities and of groups', () => {
    const lines = [...findingsCsv(found)].join('').split('\r\n');

    expect(lines).toHaveLength(1 + 4 + 2 + 1);
    expect(lines[1]).toMatch(/^low,open,dev,,groups,groups,/);
    expect(lines).toContain(
      `high,accepted,host web-01,Host,hosts,"Hosts, ""all""",${AT},${AT},${AT},carol,old,alice,${UNTIL},` +
        `decision,${WEB_01},${entityId('host', 'web-01')}`,
    );
  });

  it('is valid SARIF, with waived findings suppressed', () => {
    const log = JSON.parse(findingsSarif(found)) as {
      readonly runs: readonly { readonly results: readonly Readonly<Record<string, unknown>>[] }[];
    };

    const results = log.runs[0]?.results ?? [];
    expect(sarifFaults(log)).toEqual([]);
    expect(results).toHaveLength(6);
    expect(results.filter(({ suppressions }) => suppressions !== undefined)).toMatchObject([
      {
        ruleId: 'hosts',
        suppressions: [{ kind: 'external', justification: 'accepted by alice: old' }],
        provenance: { firstDetectionTimeUtc: AT },
        properties: { assignee: 'carol' },
      },
    ]);
  });

  it('is valid SARIF without any', () => {
    expect(sarifFaults(JSON.parse(findingsSarif([])))).toEqual([]);
  });
});
