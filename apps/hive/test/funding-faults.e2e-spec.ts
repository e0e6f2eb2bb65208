import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NodeDisk } from '#platform/disk';
import { runHive } from './support/built-hive.ts';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';

describe('funding from a target that', () => {
  let hive: TestHive;
  let edge: TestEdge;
  let target: Server | undefined;

  beforeEach(async () => {
    hive = await TestHive.start();
    edge = await TestEdge.connect('a', { address: hive.grpcAddress });
  });
  afterEach(async () => {
    await edge.crash();
    await hive.remove();
    target?.closeAllConnections();
    target?.close();
  });

  async function scenarioFor(answer: RequestListener): Promise<object> {
    target = createServer(answer).listen(0, '127.0.0.1');
    await once(target, 'listening');
    const { port } = target.address() as AddressInfo;
    return {
      name: 'funding',
      target: { chain_id: 412_346, rpc_urls: [`http://127.0.0.1:${port}`], rpc_timeout_ms: 600_000 },
      correlation: { feed: 'off' },
      accounts: { count: 4, fund_wei: '1', reclaim: false },
      load: { stages: [{ duration: '1h', rate: 10 }] },
    };
  }

  it('does not answer can be aborted', async () => {
    const asked = Promise.withResolvers<string | undefined>();
    const scenario = await scenarioFor(({ method }) => asked.resolve(method));
    const { run_id: runId } = await hive.begin(scenario);
    await asked.promise;

    await hive.json(202, 'POST', `/runs/${runId}/stop`, { mode: 'abort' });
    edge.progress('failed');

    expect(await hive.end(runId)).toMatchObject({ status: 'Failed', reason: 'aborted' });
  });

  it('answers with control characters prints none of them', async () => {
    const scenario = await scenarioFor((request, response) => {
      request.resume();
      const error = { code: -32_601, message: 'no \u001b[2Jsuch\u009b2J method' };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error }));
    });
    const file = join(hive.directory, 'scenario.json');
    await new NodeDisk().writeNew(file, new TextEncoder().encode(JSON.stringify(scenario)));

    const { code, stdout, stderr } = await runHive('run', file, '--wait', '--url', hive.url);

    expect(code).toBe(1);
    expect(stdout).toContain('funding_failed');
    expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });
});
