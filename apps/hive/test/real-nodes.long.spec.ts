import { afterEach, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '#load/report';
import { runHive } from './support/built-hive.ts';
import { HiveProgram, type Program, startEdge } from './support/programs.ts';
import { isInstalled, NODE_KINDS, type NodeKind, RealNode } from './support/real-nodes.ts';
import { describeUnless } from '#testing';

const GWEI = 1_000_000_000;
/** Without a feed, the oracle uses the order of blocks. One account for each transaction avoids waiting. */
const scenarioFor = (url: string, fees: object): object => ({
  name: 'real node',
  target: { chain_id: 31_337, rpc_urls: [url] },
  accounts: { count: 20, fund_wei: '100000000000000000' },
  load: { stages: [{ duration: '5s', rate: 4 }], arrival: 'uniform' },
  correlation: { feed: 'off', timeout: '10s' },
  fees,
});

for (const kind of NODE_KINDS) {
  const missing = isInstalled(kind) ? undefined : 'not installed; npm ci --prefix tools/nodes';
  describeUnless(missing)(`a run against ${kind.name}`, () => runsAgainst(kind));
}

function runsAgainst(kind: NodeKind): void {
  let node: RealNode | undefined;
  let hive: HiveProgram | undefined;
  let edge: Program | undefined;
  let folder = '';

  afterEach(async () => {
    await edge?.end('SIGKILL');
    await hive?.end('SIGKILL');
    await node?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(fees: object): Promise<{ code: number | null; text: string; report: Report }> {
    folder = await mkdtemp(join(tmpdir(), 'plexus-real-node-'));
    node = await RealNode.start(kind);
    hive = await HiveProgram.start(join(folder, 'data'));
    edge = startEdge({ edgeId: 'a', folder, hiveAddress: hive.grpcAddress });
    await edge.said(/"event":"hive.connected"/);
    const file = join(folder, 'scenario.json');
    await writeFile(file, JSON.stringify(scenarioFor(node.url, fees)));
    const { code, stdout, stderr } = await runHive('run', file, '--wait', '--url', hive.url);
    const { runs } = await hive.json<{ runs: { run_id: string }[] }>('/runs');
    const report = await hive.json<Report>(`/runs/${runs[0]?.run_id ?? ''}/report`);
    return { code, text: stdout + stderr + edge.text, report };
  }

  it('passes every check', async () => {
    const { code, text, report } = await run({ priority_fee_wei: String(2 * GWEI), max_fee_multiplier: 10 });

    const verdicts = Object.entries(report.oracle).map(([check, { verdict }]) => [check, verdict]);
    // The log comes first, because the end of a long message is easier to read.
    expect([text, report.findings, report.summary, Object.fromEntries(verdicts)]).toEqual([
      expect.stringContaining('Passed: every promise checked, every threshold met'),
      kind.lacks === undefined ? [] : [expect.objectContaining({ code: 'method_missing' })],
      expect.objectContaining({ rejected: 0, unknown: 0, included: report.summary.sent }),
      { nonce: 'pass', balance: 'pass', gas: 'pass' },
    ]);
    expect(report.summary).toMatchObject({ planned: 20, sent: 20 });
    // The node's own error message for a missing method.
    if (kind.lacks !== undefined) expect(text).toMatch(kind.lacks);
    expect(code).toBe(0);
  });
}
