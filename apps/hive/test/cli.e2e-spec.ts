import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunSummary } from '#load/coordination';
import { type CommandRun, followHive, runHive } from './support/built-hive.ts';
import { TestEdge, type TestEdgeOptions } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { GREEDY_RECEIPT, transaction } from './support/test-rows.ts';
import { SCENARIO } from './support/test-scenario.ts';

describe('plexus-hive run', () => {
  let directory: string;
  let scenario: string;
  let hive: TestHive;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-hive-cli-'));
    scenario = join(directory, 'smoke.json');
    const thresholds = [{ metric: 'not_sent', max: 5 }];
    await writeFile(
      scenario,
      JSON.stringify({ ...SCENARIO, oracle: { nonce: false, balance: false }, thresholds }),
    );
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));
  beforeEach(async () => {
    hive = await TestHive.start();
  });
  afterEach(() => hive.remove());

  /** An edge that runs `work` at the start order. */
  async function connect(
    work: (edge: TestEdge) => Promise<void>,
    options: Partial<TestEdgeOptions> = {},
  ): Promise<TestEdge> {
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress, ...options });
    void edge.has('start').then(() => work(edge));
    return edge;
  }

  const run = (...args: readonly string[]): Promise<CommandRun> =>
    runHive('run', scenario, '--url', hive.url, ...args);

  async function part(edge: TestEdge, notSent = 0): Promise<void> {
    edge.record('transactions', transaction(0));
    await edge.flush();
    edge.progress('done', { planned: 1 + notSent, sent: 1, included: 1, notSent, unknown: 0 });
  }

  it('begins a run, and prints its id', async () => {
    const { code, stdout } = await run();

    expect(code).toBe(0);
    expect(await hive.run(stdout.trim())).toMatchObject({ name: 'test', status: 'Starting' });
  });

  it('reads a scenario from standard input', async () => {
    const begun = followHive('run', '-', '--url', hive.url);
    begun.child.stdin.end(await readFile(scenario, 'utf8'));
    const { code, stdout } = await begun.ended;
    const wrong = followHive('run', '-', '--url', hive.url);
    wrong.child.stdin.end('name: x\nlod: {}\n');
    const refused = await wrong.ended;

    expect(code).toBe(0);
    expect(await hive.run(stdout.trim())).toMatchObject({ name: 'test', status: 'Starting' });
    expect(refused.code).toBe(2);
    expect(refused.stderr).not.toMatch(/^ {4}at /m);
  });

  it('waits for the end, and prints progress and result', async () => {
    const edge = await connect((own) => part(own));
    const file = join(directory, 'summary.json');

    const { code, stdout, stderr } = await run(
      ...['--wait', '--allow-inconclusive', '--summary-json', file],
      ...['--set', 'name=named anew'],
    );

    const headline =
      'Inconclusive: gas: 0 of 1 checked, missing receipts (1); nonce: disabled by the scenario; ' +
      'balance: disabled by the scenario';
    expect(stdout).toContain(`named anew: Completed\n${headline}\n`);
    expect(stdout).toContain('met    not_sent: 0, expected at most 5');
    expect(stdout).toContain(`report: ${hive.url}/runs/r-`);
    expect(stderr).toContain('waiting for a\n');
    expect(stderr).toMatch(/^Completed.* · planned 1 · sent 1 · included 1 · rejected 0$/mu);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      name: 'named anew',
      status: 'Completed',
      exit_code: 0,
      verdict: { state: 'unknown', reasons: [{ code: 'gas_inconclusive', count: 1 }, {}, {}] },
      headline,
      summary: { planned: 1, included: 1 },
      thresholds: [
        { metric: 'not_sent', is_met: true, is_default: false },
        { metric: 'tx_lost' },
        { metric: 'tx_failed_ratio' },
        { metric: 'feed_anomalies' },
      ],
    });
    expect(code).toBe(0);
    await edge.crash();
  });

  it('exits with 12 if the verdict is unknown', async () => {
    const edge = await connect((own) => part(own));

    const { code, stdout } = await run('--wait');

    expect(stdout).toContain('\nInconclusive: ');
    expect(code).toBe(12);
    const { runs } = await hive.json<{ runs: readonly RunSummary[] }>(200, 'GET', '/runs');
    expect(stdout).toContain(`\n${runs[0]?.headline ?? ''}\n`);
    await edge.crash();
  });

  it('exits with 11 if acknowledged transactions are lost, or an expected failure is accepted', async () => {
    const edge = await connect((own) => {
      own.progress('running', { ackedLost: 2, unknown: 2, expectUnmet: 1 });
      return part(own, 9);
    });

    const { code, stdout } = await run('--wait', '--allow-inconclusive');

    expect(stdout).toContain('Failed: 2 transactions acknowledged and in no block; 1 transaction accepted');
    expect(code).toBe(11);
    await edge.crash();
  });

  it('exits with 10 if a threshold is missed', async () => {
    const edge = await connect((own) => part(own, 9));

    const { code, stdout } = await run('--wait');

    expect(stdout).toContain('MISSED not_sent: 9, expected at most 5');
    expect(code).toBe(10);
    await edge.crash();
  });

  it('exits with 11 if the oracle found a violation, even with a missed threshold', async () => {
    const edge = await connect((own) => {
      own.record('receipts', GREEDY_RECEIPT);
      return part(own, 9);
    });

    const { code, stdout } = await run('--wait');

    expect(stdout).toContain('gas      fail, 1 of 1 checked, 1 violations');
    expect(code).toBe(11);
    await edge.crash();
  });

  it('exits with 1 if the run failed', async () => {
    const edge = await connect(async (own) => own.progress('failed'));

    const { code, stdout } = await run('--wait');

    expect(stdout).toContain('test: Failed (all_edges_lost)');
    expect(code).toBe(1);
    await edge.crash();
  });

  it('stops a run at once on a chain id mismatch, and exits with 1', async () => {
    const refusal = () => ({ code: 'chain_id_mismatch', reason: 'expected 412346, got 1' }) as const;
    const edge = await connect(() => Promise.resolve(), { refusal });

    const { code, stderr } = await run('--wait', '--start-timeout', '10m');

    expect(stderr).toContain('did not start: a: chain_id_mismatch, expected 412346, got 1');
    expect(code).toBe(1);
    expect(await hive.json(200, 'GET', '/runs')).toMatchObject({
      runs: [{ status: 'Failed', reason: 'aborted' }],
    });
    await edge.crash();
  });

  it('stops a run that does not start in time, names the missing edges, and exits with 1', async () => {
    const edge = await connect(() => Promise.resolve(), {
      refusal: () => ({ code: 'rpc_unreachable', reason: 'connection refused' }),
    });

    const { code, stderr } = await run('--wait', '--start-timeout', '1s');

    expect(stderr).toMatch(
      /: it did not start within 1 s: a(?:: rpc_unreachable, connection refused| has not responded)\n$/,
    );
    expect(code).toBe(1);
    await edge.crash();
  });

  it('leaves no run that waits for ever if it is killed before the start', async () => {
    const edge = await connect(() => Promise.resolve(), {
      refusal: () => ({ code: 'rpc_unreachable', reason: 'connection refused' }),
    });
    const command = followHive('run', scenario, '--url', hive.url, '--wait', '--start-timeout', '3s');
    await command.told(/^waiting for/);
    const { runs } = await hive.json<{ runs: readonly RunSummary[] }>(200, 'GET', '/runs');
    command.child.kill('SIGKILL');

    const ended = await hive.end(runs[0]?.run_id ?? '');

    expect(ended).toMatchObject({ status: 'Failed', reason: 'aborted' });
    expect(ended.findings).toEqual([
      {
        code: 'not_started',
        edge_id: null,
        message: expect.stringMatching(/^it did not start within 3 s: a/),
      },
    ]);
    await edge.crash();
  });

  it.each([
    [
      'a faulty scenario',
      ['--set', 'accounts.count=0', '--set', 'nam=x'],
      'nam: no such key, did you mean name?',
    ],
    ['an invalid override', ['--set', 'x'], 'expected path.to.value=something'],
    ['--strict without --wait', ['--strict'], '--strict needs --wait'],
    ['--summary-json without --wait', ['--summary-json', 'x'], '--summary-json needs --wait'],
    ['an invalid duration', ['--wait', '--start-timeout', 'soon'], 'expected a number with a unit'],
    ['an unknown flag', ['--wat'], "unknown option '--wat'"],
  ])('exits with 2 for %s', async (_what, args, message) => {
    const { code, stderr } = await run(...args);

    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it('exits with 2 for a missing file, or a file name without a scenario extension', async () => {
    const missing = await runHive('run', 'none.yaml', '--url', hive.url);
    const odd = await runHive('run', 'none.txt', '--url', hive.url);

    expect([missing.code, missing.stderr]).toEqual([2, 'plexus-hive: none.yaml: no such file\n']);
    expect([odd.code, odd.stderr]).toEqual([
      2,
      'plexus-hive: none.txt: expected a file named .yaml, .toml or .json\n',
    ]);
  });

  it('begins no run if its result could not be written', async () => {
    const file = join(directory, 'none', 'summary.json');

    const { code, stderr } = await run('--wait', '--summary-json', file);

    expect([code, stderr]).toEqual([1, expect.stringContaining(file)]);
    expect(await hive.json(200, 'GET', '/runs')).toMatchObject({ runs: [] });
  });

  it.each(['{}', 'null', '[]', '{"run_id":7}'])('takes %s for no hive', async (text) => {
    const server = createServer((_, reply) => reply.end(text)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    const { code, stderr } = await runHive('run', scenario, '--url', url, '--wait');
    server.close();

    expect(stderr).toMatch(/^plexus-hive: expected (?:a run|JSON of a server of Plexus) from http[^\n]+\n$/m);
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(1);
  });

  it('exits with 1 if no hive responds, and prints how to start one', async () => {
    const { code, stderr } = await runHive('run', scenario, '--url', 'http://127.0.0.1:1');

    expect(stderr).toContain(
      'no response from a hive at http://127.0.0.1:1: start one with `bin/plexus-hive serve`',
    );
    expect(code).toBe(1);
  });
});
