import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { restoreStore } from '#graph/storage';
import { NodeDisk } from '#platform/disk';
import { effort } from '#testing';
import { asking, hostsOf, type SeqToken, tokenOf } from './support/seq-token.ts';
import { type Answer, bodyOf, TestService } from './support/test-service.ts';

const write = (service: TestService, body: object, headers = {}): Promise<Answer> =>
  service.call('POST', '/v1/ingest/write', body, headers);

/** A temporary directory. */
async function within(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'plexus-seq-'));
  try {
    await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

describe('the history in Plexus-Seq', () => {
  it('continues after a restart: earlier writes are visible, and a repeated one keeps its number', () =>
    within(async (directory) => {
      const body = { ...hostsOf('a'), write_id: 'once' };
      const before = await TestService.start({ directory });
      const first = tokenOf(await write(before, body));
      await before.stop();

      const service = await TestService.start({ directory });
      const query = await service.call('POST', '/v1/query', { pql: 'FIND host' }, asking(first.text));
      const again = await write(service, body);
      await service.stop();

      expect(bodyOf(query)).toMatchObject({ count: 1 });
      expect(tokenOf(query)).toEqual(first);
      expect(tokenOf(again)).toEqual(first);
    }));

  it('changes after a restore, which rejects earlier numbers', () =>
    within(async (directory) => {
      const service = await TestService.start();
      const { text, epoch } = tokenOf(await write(service, hostsOf('a')));
      await restoreStore(new NodeDisk(), directory, service.graph.backupStream());
      await service.stop();

      const restored = await TestService.start({ directory });
      const refused = await restored.call('GET', '/v1/stats', undefined, asking(text));
      const answer = await restored.call('POST', '/v1/query', { pql: 'FIND host' });
      await restored.stop();

      expect(refused.status).toBe(409);
      expect(bodyOf(answer)).toMatchObject({ count: 1 });
      expect(tokenOf(answer)).toMatchObject({ epoch: expect.not.stringMatching(epoch), seq: 1 });
    }));

  it('is evaluated only for clients with the key', async () => {
    const service = await TestService.start({ environment: { PLEXUS_API_KEY: 'k'.repeat(32) } });

    const answers = await Promise.all(
      ['nonsense', 'other.1', `${service.graph.epoch}.99`].map((token) =>
        service.call('GET', '/v1/stats', undefined, asking(token)),
      ),
    );
    await service.stop();

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(bodyOf(answers[0] as Answer)).toEqual({
      error: 'Unauthorized',
      message: 'missing or invalid API key',
    });
  });
});

describe('a cursor', () => {
  it('of another node gives 410 with the name of that node', async () => {
    const nodes = await Promise.all([TestService.start(), TestService.start()]);
    const [here, there] = nodes;
    for (const node of nodes) await write(node, hostsOf('a', 'b'));
    const { cursor } = bodyOf(await there.call('POST', '/v1/query', { pql: 'FIND host', limit: 1 }));

    const answer = await here.call('POST', '/v1/query', { cursor });
    const page = await there.query('FIND host', { cursor });
    for (const node of nodes) await node.stop();

    expect(answer.status).toBe(410);
    expect(bodyOf(answer)).toMatchObject({
      error: 'CURSOR_EXPIRED',
      details: { node: String(cursor).split('.')[0] },
    });
    expect(page).toMatchObject({ count: 2 });
  });

  it('from before a restart gives 410', () =>
    within(async (directory) => {
      const before = await TestService.start({ directory });
      await write(before, hostsOf('a', 'b'));
      const { cursor } = await before.query('FIND host', { limit: 1 });
      await before.stop();

      const service = await TestService.start({ directory });
      const answer = await service.call('POST', '/v1/query', { cursor });
      await service.stop();

      expect(answer.status).toBe(410);
      expect(bodyOf(answer)).toMatchObject({
        error: 'CURSOR_EXPIRED',
        details: { node: expect.any(String) },
      });
    }));
});

/** The next step of a client. */
type Step = 'write' | 'query' | 'lines' | 'stats' | 'refused' | 'repeat';

const START: SeqToken = { text: '', epoch: '', seq: 0 };

const STEPS = fc.array(fc.constantFrom<Step[]>('write', 'query', 'lines', 'stats', 'refused', 'repeat'), {
  maxLength: 12,
});

describe('clients that pass Plexus-Seq on', () => {
  let service: TestService;
  let clients = 0;

  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.stop());

  const send = (step: Step, name: string, at: number, headers: Record<string, string>): Promise<Answer> => {
    const query = { pql: `FIND host WITH _key ^= '${name}-'`, limit: 10_000 };
    switch (step) {
      case 'write':
        return write(service, hostsOf(`${name}-${at}`), headers);
      case 'repeat':
        return write(service, { ...hostsOf(`shared-${at}`), write_id: `repeat-${at}` }, headers);
      case 'query':
        return service.call('POST', '/v1/query', query, headers);
      case 'lines':
        return service.call('POST', '/v1/query', query, { ...headers, Accept: 'application/x-ndjson' });
      case 'stats':
        return service.call('GET', '/v1/stats', undefined, headers);
      case 'refused':
        return write(service, { entities: 1 }, headers);
    }
  };

  /** Runs the steps, each with the client's last token or a later one of another client. */
  const runClient = async (steps: readonly Step[], shared: { token: SeqToken }): Promise<void> => {
    const name = `c${clients++}`;
    let own = 0;
    let last = START;
    for (const [at, step] of steps.entries()) {
      const handedOn = at % 3 === 2 && shared.token.seq > last.seq ? shared.token : last;
      const answer = await send(step, name, at, handedOn === START ? {} : asking(handedOn.text));
      last = tokenOf(answer);
      shared.token = last;
      if (step === 'write') own++;
      expect([step, answer.status]).toEqual([step, step === 'refused' ? 400 : 200]);
      expect(last.seq).toBeGreaterThanOrEqual(handedOn.seq);
      if (step === 'query') expect(bodyOf(answer)).toMatchObject({ count: own, snapshot_version: last.seq });
    }
  };

  it('read monotonically, see their own writes, and the causes of other clients’ writes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEPS, { minLength: 2, maxLength: 6 }), async (plans) => {
        const shared = { token: START };
        await Promise.all(plans.map((steps) => runClient(steps, shared)));
      }),
      { numRuns: effort(40, 8) },
    );
  });
});
