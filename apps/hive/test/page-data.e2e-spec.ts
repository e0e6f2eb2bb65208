import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { FAULTY_SCENARIO, SCENARIO } from './support/test-scenario.ts';

describe('the HTTP API of the page', () => {
  let hive: TestHive;

  beforeAll(async () => {
    hive = await TestHive.start();
  });
  afterAll(() => hive.remove());

  const check = (type: string, text: string): Promise<{ faults: readonly object[]; name: string | null }> =>
    hive.json(200, 'POST', '/runs/check', text, { 'Content-Type': type });

  it('returns the faults of a scenario with their positions, without starting a run', async () => {
    const yaml = await check('application/yaml', FAULTY_SCENARIO);
    const malformed = await check('application/yaml', 'name: x\n  y: [');
    const toml = await check('application/toml', 'name = "x"\n\nname = 1\n');
    const sound = await check('application/json', JSON.stringify(SCENARIO));

    expect(yaml.faults).toContainEqual(
      expect.objectContaining({ line: 5, column: 20, path: 'accounts.count' }),
    );
    expect(malformed.faults).toMatchObject([{ line: 2, path: '' }]);
    expect(toml.faults).toMatchObject([{ line: 3, path: '' }]);
    expect(sound).toMatchObject({ faults: [], name: SCENARIO.name, planned_s: 3_600, edges_min: 1 });
    expect(await hive.json(200, 'GET', '/runs')).toMatchObject({ runs: [] });
  });

  it('returns rates in total and by edge, and failures by class', async () => {
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
    const { run_id: runId } = await hive.begin(SCENARIO);
    await hive.hive.runs.active[0]?.effects.idle();
    await edge.has('start');

    const recent = await hive.json(200, 'GET', `/runs/${runId}/recent`);
    const unknown = await hive.call('GET', '/runs/none/recent');

    expect(recent).toMatchObject({ run_id: runId, edges: [{ edge_id: 'a', sent_rate: 0 }], failures: [] });
    expect(unknown.status).toBe(404);
    await edge.crash();
  });
});
