import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MaximumFound } from '#load/report';
import { type CommandRun, followHive, runHive } from './support/built-hive.ts';
import { LoadSite } from './support/load-site.ts';

describe('plexus-hive run --find-max', () => {
  let site: LoadSite;
  let file: string;

  beforeAll(async () => {
    site = await LoadSite.start('a');
    file = join(site.folder, 'scenario.json');
    const { rpcUrl, feedUrl } = site.sequencer;
    await writeFile(
      file,
      JSON.stringify({
        name: 'shop',
        target: { chain_id: 412_346, rpc_urls: [rpcUrl], feed_url: feedUrl },
        accounts: { count: 40, reclaim: false },
        // Poisson arrivals at 1 a second may leave a second without any.
        load: { model: 'closed', users: 3, arrival: 'uniform', stages: [{ duration: '1s' }] },
        correlation: { timeout: '5s' },
      }),
    );
  }, 60_000);
  afterAll(() => site.close());

  const find = (...args: readonly string[]): Promise<CommandRun> =>
    runHive(...['run', file, '--url', site.hive.url, '--wait', '--find-max', '--find-step', '1s'], ...args);

  it('tries one rate after another, each as a run with its report', async () => {
    const [summary, page] = [join(site.folder, 'max.json'), join(site.folder, 'max.html')];
    const limits = ['--find-from', '10', '--find-to', '20', '--slo', 'p99<600s,failed<100%,achieved>0%'];

    const { code, stdout } = await find(...limits, '--summary-json', summary, '--report', page);

    const found = JSON.parse(await readFile(summary, 'utf8')) as MaximumFound;
    expect([code, found]).toEqual([
      12,
      expect.objectContaining({
        name: 'shop',
        maximum: 20,
        refused: null,
        limited_by: 'search_limit',
        exit_code: 12,
        steps: [
          expect.objectContaining({ rate: 10, end: 'held', why: '' }),
          expect.objectContaining({ rate: 20, end: 'held', why: '' }),
        ],
      }),
    ]);
    expect(stdout).toContain('At least 20/s with p99<600s,failed<100%,achieved>0%');
    const [first] = found.steps;
    const { name, thresholds } = await site.hive.json<{ name: string; thresholds: { metric: string }[] }>(
      `/runs/${first?.run_id ?? ''}/report`,
    );
    expect(name).toBe('shop at 10/s');
    expect(thresholds.slice(0, 2)).toEqual([
      expect.objectContaining({ metric: 'feed_latency_p99_ms', max: 600_000, is_met: true }),
      expect.objectContaining({ metric: 'tx_failed_ratio', max: 1, is_met: true }),
    ]);
    expect(await readFile(page, 'utf8')).toContain(first?.run_id);
  }, 120_000);

  it('ends with 10 when no rate meets the objectives', async () => {
    const { code, stdout } = await find('--find-from', '2', '--slo', 'p99<0.001ms');

    expect([code, stdout]).toEqual([
      10,
      expect.stringContaining('No rate was found at which p99<0.001ms is met'),
    ]);
    expect(stdout).toMatch(/ {2}2\/s missed: feed_latency_p99_ms .*\n {2}1\/s missed/);
  }, 120_000);

  it.each([
    [['--slo', 'p99<1'], 'expected a time in ms or s'],
    [['--slo', 'p99<1s', '--find-from', '0'], 'expected a number above 0'],
    [[], '--find-max needs --slo'],
  ])('rejects %j', async (args, message) => {
    expect(await find(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('writes what was found until the hive was gone', async () => {
    const summary = join(site.folder, 'gone.json');
    const search = followHive(
      ...[
        'run',
        file,
        '--url',
        site.hive.url,
        '--wait',
        '--find-max',
        '--find-step',
        '1s',
        '--hive-timeout',
        '1s',
      ],
      ...['--find-from', '10', '--slo', 'p99<600s,failed<=100%,achieved>0%', '--summary-json', summary],
    );
    search.child.stdout.once('data', () => void site.hive.end('SIGKILL'));

    const { code, stdout, stderr } = await search.ended;

    const found = JSON.parse(await readFile(summary, 'utf8')) as MaximumFound;
    expect(found).toMatchObject({ limited_by: 'interrupted', exit_code: 1, steps: [{ rate: 10 }] });
    expect(stdout).toContain(found.steps[0]?.run_id);
    expect(stderr).toContain('no response');
    expect(code).toBe(1);
  }, 120_000);
});
