import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '#platform/foundation';
import { clique, ESTATE, SLOW_QUERY } from './support/estate.ts';
import { bodyOf, type Json, TestService } from './support/test-service.ts';

const CIS = 'CIS-Controls-v8';
const EDR = {
  id: 'edr',
  severity: 'high',
  query: 'FIND host THAT !PROTECTS edr_agent',
  population: 'FIND host',
  frameworks: [{ framework: CIS, control: '10.1' }],
};
const MFA = {
  id: 'mfa',
  severity: 'critical',
  query: 'FIND user WITH mfa_enabled = false',
  tags: ['identity'],
};
const YAML_TYPE = { 'Content-Type': 'application/yaml' };

interface Result extends Json {
  readonly violations: readonly Json[];
}
const resultsOf = (evaluation: Json) => evaluation['results'] as readonly Result[];
const idsOf = (list: Json) => (list['rules'] as readonly Json[]).map(({ id }) => id);

describe('policies', () => {
  let directory: string;
  let service: TestService;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-rules-'));
    await writeFile(join(directory, 'a.yaml'), 'rules: [{id: from-file, query: FIND host}]');
    service = await TestService.start({
      environment: { PLEXUS_RULES: directory, PLEXUS_RULE_TIMEOUT: '2s' },
    });
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE);
  });
  afterEach(async () => {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const refused = async (...call: Parameters<TestService['call']>) => {
    const answer = await service.call(...call);
    return [answer.status, bodyOf(answer)['error']];
  };

  it('are replaced, merged and removed, as JSON and as YAML', async () => {
    const first = await service.json(200, 'POST', '/v1/policies', { rules: [EDR, MFA] });
    const yaml = 'rules:\n  - id: one-more\n    query: FIND service\n';
    const merged = await service.json(200, 'POST', '/v1/policies?mode=merge', yaml, YAML_TYPE);
    const put = await service.json(200, 'PUT', '/v1/policies/mfa', { query: 'FIND user' });
    const deleted = await service.call('DELETE', '/v1/policies/edr');

    expect(first).toEqual({ loaded: 2, added: 2, updated: 0, removed: 0 });
    expect(merged).toEqual({ loaded: 3, added: 1, updated: 0, removed: 0 });
    expect(put).toMatchObject({ id: 'mfa', severity: 'medium', origin: 'api', query: 'FIND user' });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect(idsOf(await service.json(200, 'GET', '/v1/policies'))).toEqual(['from-file', 'mfa', 'one-more']);
  });

  it('are listed by severity, framework, tag, origin and state', async () => {
    await service.json(200, 'POST', '/v1/policies', { rules: [EDR, { ...MFA, enabled: false }] });
    const list = async (filter: string) => idsOf(await service.json(200, 'GET', `/v1/policies?${filter}`));

    expect(await list('severity=high')).toEqual(['edr']);
    expect(await list(`framework=${CIS}`)).toEqual(['edr']);
    expect(await list('tag=identity')).toEqual(['mfa']);
    expect(await list('origin=file')).toEqual(['from-file']);
    expect(await list('enabled=false')).toEqual(['mfa']);
    expect(await refused('GET', '/v1/policies?severity=huge')).toEqual([400, 'INVALID_REQUEST']);
    expect(await refused('GET', '/v1/policies?nonsense=1')).toEqual([400, 'INVALID_REQUEST']);
  });

  it('round-trip through the API, one by one and all together', async () => {
    const off = {
      ...MFA,
      enabled: false,
      parameters: { x: { type: 'list', default: [1, null] } },
      query: 'FIND user WITH n IN $x',
    };
    await service.json(200, 'POST', '/v1/policies', { rules: [EDR, off] });
    await service.json(200, 'POST', '/v1/policies/evaluate', {});
    const shown = await service.json(200, 'GET', '/v1/policies?origin=api');

    const put = await Promise.all(
      ['edr', 'mfa'].map(async (id) => {
        const rule = await service.json(200, 'GET', `/v1/policies/${id}`);
        return [rule, await service.json(200, 'PUT', `/v1/policies/${id}`, rule)];
      }),
    );
    const posted = await service.json(200, 'POST', '/v1/policies', shown);

    for (const [before, after] of put) expect(after).toEqual(before);
    expect(put[0]?.[0]).toMatchObject({ origin: 'api', last_run: { status: 'Fail' } });
    expect(posted).toEqual({ loaded: 2, added: 0, updated: 0, removed: 0 });
    expect(await service.json(200, 'GET', '/v1/policies?origin=api')).toEqual(shown);
  });

  it('lose their last run when they change, and are evaluated for the next posture', async () => {
    const lastRun = async () => (await service.json(200, 'GET', '/v1/policies/edr'))['last_run'];
    await service.json(200, 'POST', '/v1/policies', { rules: [EDR] });
    await service.json(200, 'POST', '/v1/policies/evaluate', {});
    const first = await lastRun();
    await service.json(200, 'PUT', '/v1/policies/edr', { ...EDR, name: 'Another', severity: 'low' });
    const renamed = await lastRun();
    const put = await service.json(200, 'PUT', '/v1/policies/edr', {
      ...EDR,
      query: "FIND host WITH os = 'plan9'",
    });
    const posture = await service.json(200, 'GET', `/v1/policies/posture?framework=${CIS}`);

    expect(renamed).toEqual(first);
    expect([put['last_run'], first]).toEqual([undefined, expect.objectContaining({ status: 'Fail' })]);
    expect(posture).toMatchObject({ overall_score: 1, failing_rules: [] });
    expect(await lastRun()).toMatchObject({ status: 'Pass' });
  });

  it('without data are evaluated again for a posture only after the graph has changed', async () => {
    const rule = { id: 'empty', query: 'FIND nowhere', severity: 'low' };
    await service.json(200, 'POST', '/v1/policies', { rules: [rule] });
    const evaluations = async () => (await service.json(200, 'GET', '/v1/policies/evaluations'))['count'];
    const look = () => service.json(200, 'GET', '/v1/policies/posture');

    await look();
    const first = await evaluations();
    await look();
    await service.json(200, 'PUT', '/v1/queries/a', { text: 'FIND host' });
    await look();
    const looked = await evaluations();
    await service.json(200, 'POST', '/v1/ingest/write', { entities: [{ type: 'nowhere', key: 'a' }] });
    const posture = await look();

    expect([first, looked, await evaluations()]).toEqual([1, 1, 2]);
    expect(posture['failing_rules']).toEqual(
      expect.arrayContaining([expect.objectContaining({ rule_id: 'empty' })]),
    );
  });

  it('are all unchanged if one of them is invalid', async () => {
    await service.json(200, 'POST', '/v1/policies', { rules: [EDR] });

    const json = await service.call('POST', '/v1/policies', { rules: [MFA, { id: 'x', query: 'FIND' }] });
    const yaml = await service.call(
      'POST',
      '/v1/policies',
      'rules:\n  - id: x\n    qery: FIND host',
      YAML_TYPE,
    );

    expect([json.status, bodyOf(json)]).toMatchObject([
      400,
      { error: 'POLICY_INVALID', message: expect.stringMatching(/^rules\[1\]\.query: /) },
    ]);
    expect([yaml.status, bodyOf(yaml)]).toMatchObject([
      400,
      { error: 'POLICY_INVALID', message: expect.stringMatching(/^body:3:5: unknown key "qery"/) },
    ]);
    expect(idsOf(await service.json(200, 'GET', '/v1/policies'))).toEqual(['edr', 'from-file']);
  });

  it('from files cannot be changed through the API', async () => {
    const taken = [409, 'RULE_FROM_FILE'];

    expect(await refused('PUT', '/v1/policies/from-file', { query: 'FIND user' })).toEqual(taken);
    expect(await refused('DELETE', '/v1/policies/from-file')).toEqual(taken);
    expect(
      await refused('POST', '/v1/policies', { rules: [{ id: 'from-file', query: 'FIND user' }] }),
    ).toEqual(taken);
  });

  it('from files are reloaded, and kept as they were if a file is invalid', async () => {
    await writeFile(join(directory, 'b.yml'), 'rules: [{id: later, query: FIND user}]');
    await service.ruleFiles.reload();
    const after = idsOf(await service.json(200, 'GET', '/v1/policies'));
    await writeFile(join(directory, 'b.yml'), 'rules: [{id: later}]');
    await service.ruleFiles.reload();

    expect(after).toEqual(['from-file', 'later']);
    expect(idsOf(await service.json(200, 'GET', '/v1/policies'))).toEqual(after);
  });

  it.each([
    ['GET', '/v1/policies/nonsense', undefined, [404, 'NOT_FOUND']],
    ['DELETE', '/v1/policies/nonsense', undefined, [404, 'NOT_FOUND']],
    ['GET', '/v1/policies/evaluations/nonsense', undefined, [404, 'NOT_FOUND']],
    ['PUT', '/v1/policies/a', { id: 'b', query: 'FIND host' }, [400, 'POLICY_INVALID']],
    ['PUT', '/v1/policies/posture', { query: 'FIND host' }, [400, 'POLICY_INVALID']],
    ['PUT', '/v1/policies/a', [], [400, 'POLICY_INVALID']],
    ['POST', '/v1/policies', {}, [400, 'POLICY_INVALID']],
    ['POST', '/v1/policies?mode=nonsense', { rules: [] }, [400, 'INVALID_REQUEST']],
    ['POST', '/v1/policies/evaluate', { rule_ids: ['nonsense'] }, [400, 'INVALID_REQUEST']],
    ['POST', '/v1/policies/evaluate', { severity_min: 'huge' }, [400, 'INVALID_REQUEST']],
    ['POST', '/v1/policies/evaluate', { limit: -1 }, [400, 'INVALID_REQUEST']],
    ['POST', '/v1/policies/evaluate', { params: [1] }, [400, 'INVALID_REQUEST']],
    ['POST', '/v1/policies/evaluate', { nonsense: 1 }, [400, 'INVALID_REQUEST']],
    ['PUT', '/v1/policies/evaluate', {}, [400, 'POLICY_INVALID']],
  ])('refuse %s %s with %j', async (method, path, body, answer) => {
    expect(await refused(method, path, body)).toEqual(answer);
  });

  it('reject YAML where only JSON is accepted', async () => {
    expect(await refused('POST', '/v1/query', 'pql: FIND host', YAML_TYPE)).toEqual([
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ]);
  });

  it('are evaluated on one snapshot, with violations, populations and errors', async () => {
    const broken = { id: 'broken', query: 'FIND host WITH os = $os', parameters: { os: { type: 'string' } } };
    await service.json(200, 'POST', '/v1/policies', {
      rules: [EDR, MFA, broken, { ...MFA, id: 'off', enabled: false }],
    });

    const evaluation = await service.json(200, 'POST', '/v1/policies/evaluate', {});

    expect(evaluation).toMatchObject({ total: 5, pass: 0, fail: 3, error: 1, skipped: 1, waived: 0 });
    expect(evaluation['snapshot_version']).toBe(service.graph.durableVersion - 1);
    const edr = resultsOf(evaluation).find(({ rule_id: id }) => id === 'edr');
    expect(edr).toMatchObject({
      severity: 'high',
      status: 'Fail',
      violation_count: 2,
      waived_count: 0,
      population: { total: 4, passing: 2 },
      error: null,
    });
    expect(edr?.violations).toMatchObject([
      {
        type: 'host',
        key: 'web-02',
        class: 'Host',
        display_name: 'web-02',
        first_seen: evaluation['started_at'],
      },
      { key: 'win-01' },
    ]);
    const rule = await service.json(200, 'GET', '/v1/policies/edr');
    expect(rule['last_run']).toMatchObject({ status: 'Fail', violation_count: 2 });
  });

  it('warn about names that nothing in the data has', async () => {
    await service.json(200, 'POST', '/v1/policies', { rules: [MFA, { id: 'typo', query: 'FIND Hots' }] });

    const evaluation = await service.json(200, 'POST', '/v1/policies/evaluate', {
      rule_ids: ['mfa', 'typo'],
    });

    const [mfa, typo] = resultsOf(evaluation);
    expect(evaluation).toMatchObject({ no_data: 1 });
    expect(typo).toMatchObject({
      status: 'NoData',
      warnings: [{ code: 'UNKNOWN_CLASS', message: expect.stringContaining('`Hots`'), nearest: 'Host' }],
    });
    expect(mfa).not.toHaveProperty('warnings');
  });

  it('stop a slow rule only, while the service keeps answering', async () => {
    await service.json(200, 'POST', '/v1/ingest/write', clique(60));
    const slow = { id: 'slow', query: SLOW_QUERY.replace('RETURN COUNT(*)', 'GROUP BY e._key') };
    await service.json(200, 'POST', '/v1/policies', { rules: [EDR, slow] });

    const evaluating = service.json(200, 'POST', '/v1/policies/evaluate', {});
    const health = await service.call('GET', '/v1/health');
    const evaluation = await evaluating;

    expect(health.status).toBe(200);
    expect(resultsOf(evaluation).map(({ rule_id: id, status }) => [id, status])).toEqual([
      ['edr', 'Fail'],
      ['from-file', 'Fail'],
      ['slow', 'Error'],
    ]);
  });

  it('have a history of new and resolved findings', async () => {
    await service.json(200, 'POST', '/v1/policies', { rules: [EDR] });
    const first = await service.json(200, 'POST', '/v1/policies/evaluate', { rule_ids: ['edr'] });
    const web02 = resultsOf(first)[0]?.violations[0];
    await service.call('DELETE', `/v1/entities/${String(web02?.['entity_id'])}`);
    const second = await service.json(200, 'POST', '/v1/policies/evaluate', { rule_ids: ['edr'] });

    const list = await service.json(200, 'GET', '/v1/policies/evaluations?limit=1');
    const past = await service.json(
      200,
      'GET',
      `/v1/policies/evaluations/${String(second['evaluation_id'])}`,
    );

    expect(list).toMatchObject({
      count: 2,
      evaluations: [
        { evaluation_id: second['evaluation_id'], new_count: 0, resolved_count: 1, trigger: 'request' },
      ],
    });
    expect(resultsOf(past)[0]).toMatchObject({
      resolved: [
        { finding_id: web02?.['finding_id'], label: 'host web-02', first_seen: first['started_at'] },
      ],
    });
  });

  it('give a posture per framework and overall', async () => {
    await service.json(200, 'POST', '/v1/policies', { rules: [EDR, MFA] });

    const cis = await service.json(200, 'GET', `/v1/policies/posture?framework=${CIS}`);
    const all = await service.json(200, 'GET', '/v1/policies/posture');
    const none = await service.json(200, 'GET', '/v1/policies/posture?framework=nonsense');

    expect(cis).toMatchObject({
      framework: CIS,
      overall_score: 0,
      controls: [{ control_id: '10.1', status: 'Fail', rule_count: 1, pass_count: 0, fail_count: 1 }],
      failing_rules: [{ rule_id: 'edr' }],
    });
    expect(all).toMatchObject({
      framework: 'all',
      by_severity: { critical: { total: 1 }, high: { total: 1 } },
    });
    expect(none).toMatchObject({ overall_score: null, note: 'no rule is mapped to nonsense' });
  });

  /** Resolves when there are so many. */
  const evaluationsOf = async (count: number): Promise<unknown> => {
    for (;;) {
      const list = await service.json(200, 'GET', '/v1/policies/evaluations');
      if (list['count'] === count) return list['evaluations'];
      await pause(5);
    }
  };

  it('run automatically after a sync if configured', async () => {
    const onSync = { ...EDR, schedule: 'on_sync:test' };
    await service.json(200, 'POST', '/v1/policies', { rules: [onSync, MFA] });

    await service.json(200, 'POST', '/v1/ingest/sync', { ...ESTATE, sync_id: 'estate-2' });
    const evaluations = await evaluationsOf(1);

    expect(evaluations).toMatchObject([{ trigger: 'sync', total: 1, fail: 1 }]);
  });

  it('run after the sync of any client if configured; a posture counts those that did not', async () => {
    const rules = [{ ...EDR, schedule: 'on_sync:*' }, MFA];
    await service.json(200, 'POST', '/v1/policies', { rules });
    await service.json(200, 'POST', '/v1/policies/evaluate', {});

    await service.json(200, 'POST', '/v1/ingest/sync', {
      connector_id: 'a-client',
      sync_id: '1',
      entities: [
        { type: 'host', class: 'Host', key: 'new-host' },
        { type: 'user', class: 'User', key: 'new-user' },
      ],
    });
    await evaluationsOf(2);
    const posture = await service.json(200, 'GET', '/v1/policies/posture');
    const { rules: rated } = await service.json(200, 'GET', '/v1/policies');

    expect(posture).toMatchObject({ outdated_rules: 2 });
    expect(rated).toMatchObject([
      { id: 'edr', last_run: { data_changed: false } },
      { id: 'from-file', last_run: { data_changed: true } },
      { id: 'mfa', last_run: { data_changed: true } },
    ]);
  });

  it('are counted in the metrics', async () => {
    await service.json(200, 'POST', '/v1/policies/evaluate', {});

    const { text } = await service.call('GET', '/metrics');

    expect(text).toMatch(/^plexus_rule_evaluations_total\{status="fail"\} 1$/m);
    expect(text).toMatch(/^plexus_policy_evaluations_total 1$/m);
    expect(text).toMatch(/^plexus_rules 1$/m);
  });
});
