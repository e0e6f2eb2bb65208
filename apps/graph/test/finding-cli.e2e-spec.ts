import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { entityId } from '#graph/model';
import { runProgram } from './support/built-program.ts';
import { ESTATE } from './support/estate.ts';
import { TestService } from './support/test-service.ts';

const KEY = 'a-key-for-findings';
const RULES = [
  { id: 'edr', name: 'Without EDR', severity: 'high', query: 'FIND host THAT !PROTECTS edr_agent' },
];
const WEB_02 = `edr:${entityId('host', 'web-02')}`;

describe('plexus finding', () => {
  let service: TestService;

  const finding = (...args: string[]): ReturnType<typeof runProgram> =>
    runProgram(['finding', ...args, '--url', service.url], { environment: { PLEXUS_API_KEY: KEY } });

  beforeAll(async () => {
    service = await TestService.start({ environment: { PLEXUS_API_KEY: KEY } });
    const headers = { Authorization: `Bearer ${KEY}` };
    await service.json(200, 'POST', '/v1/ingest/sync', ESTATE, headers);
    await service.json(200, 'POST', '/v1/policies', { rules: RULES }, headers);
    await service.json(200, 'POST', '/v1/policies/evaluate', {}, headers);
  });
  afterAll(() => service.stop());

  it('waives, assigns and reopens a finding, and lists what is open', async () => {
    const waived = await finding('waive', WEB_02, '--reason', 'a lab', '--until', '30d');
    const assigned = await finding('assign', WEB_02, 'carol');
    const open = await finding('list');
    const all = await finding('list', '--state', 'waived', '--assignee', 'carol', '--format', 'json');
    const reopened = await finding('reopen', WEB_02);

    expect(waived.stdout).toMatch(/^host web-02 \(edr\) is waived until \d{4}-\d\d-\d\dT/);
    expect(assigned.stdout).toBe('host web-02 (edr): carol looks after it\n');
    expect(open.stdout).toMatch(/^severity +state +finding +rule +opened +assignee +id\n/);
    expect(open.stdout).toMatch(/\nhigh +open +host win-01 +Without EDR .*\n1 finding\n$/);
    expect(JSON.parse(all.stdout)).toMatchObject({
      findings: [{ waiver: { by: 'API key', reason: 'a lab' } }],
    });
    expect(reopened.stdout).toBe('host web-02 (edr) is open\n');
  });

  it('exports the filtered list as CSV and SARIF', async () => {
    const csv = await finding('list', '--text', 'win', '--format', 'csv');
    const sarif = await finding('list', '--severity', 'low', '--format', 'sarif');

    expect(csv.stdout).toMatch(/^severity,state,.*\r\nhigh,open,host win-01,Host,edr,Without EDR,.*\r\n$/);
    expect(JSON.parse(sarif.stdout)).toMatchObject({ version: '2.1.0', runs: [{ results: [] }] });
  });

  it('names what is wrong', async () => {
    const nowhere = await runProgram(['finding', 'list'], { environment: { PLEXUS_URL: '' } });
    const endless = await finding('accept', WEB_02, '--reason', 'x', '--until', '900d');
    const unknown = await finding('waive', 'edr:0', '--reason', 'x', '--until', '1d');

    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('expected --url')]);
    expect([endless.code, endless.stderr]).toEqual([1, expect.stringContaining('within 366 days')]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no such finding')]);
  });
});
