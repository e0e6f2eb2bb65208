import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Readable } from 'node:stream';
import { BulkLoad, recordsOf } from '#graph/engine';
import { CuttingRelay, entity } from '#graph/testing';
import { errorCodeOf, pause } from '#platform/foundation';
import { BatchTable, type Head } from '../src/batch-table.ts';
import { holdCommits } from '../src/database.ts';
import { Cluster, type ClusterNode, shown, told } from './cluster-harness.ts';

/** Longer than the documented time; both times end by timers of this process, in this order. */
const ANSWER_MS = 8_000 + 2_000;
const TURNS = 10;
/** The documented time until a delay is shown. */
const DEGRADED_MS = 5_000;
const WRITERS = 6;
const BACKENDS_MAX = 4;
const BACKENDS_CUT_MAX = 6;

describe('nodes of a database in which a COMMIT hangs', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.start();
  });
  afterAll(() => cluster.stop());

  const put = ({ graph }: ClusterNode, key: string) =>
    graph.write({ entities: [entity('host', 'Host', key)], relationships: [] });
  const late = async (over: AbortSignal) => {
    await pause(ANSWER_MS, over);
    // After a pause of this process, the answer may need some turns.
    for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate);
    return 'late';
  };
  const answered = async (write: Promise<unknown>) => {
    const over = new AbortController();
    const code = write.then(
      () => 'written',
      (error: unknown) => errorCodeOf(error),
    );
    const first = await Promise.race([late(over.signal), code]);
    over.abort();
    return first;
  };
  const isWaiting = async ({ name }: ClusterNode, what: string): Promise<boolean> => {
    const text = `SELECT 1 FROM pg_stat_activity WHERE application_name = '${name}' AND state = 'active'`;
    return (await cluster.rows(`${text} AND ${what}`)).length > 0;
  };
  const backends = async ({ name }: ClusterNode): Promise<number> => {
    const text = `SELECT 1 FROM pg_stat_activity WHERE application_name LIKE '${name}%'`;
    return (await cluster.rows(text)).length;
  };

  it('answer every write in time, are degraded with the reason, and catch up meanwhile', async () => {
    const schema = 'hung';
    const [a, b] = [await cluster.open({ schema }), await cluster.open({ schema })];
    const held = await holdCommits(cluster.address, schema);
    const writes = [a, b].flatMap((node) =>
      Array.from({ length: WRITERS }, (_, at) => answered(put(node, `${node.name}-${String(at)}`))),
    );
    while ([a, b].some(({ graph }) => graph.health().status === 'healthy')) await pause(5);
    const reasons = [a, b].map(({ graph }) => graph.health().reason);
    const session = b.graph.sessions.get('unknown').catch((error: unknown) => errorCodeOf(error));
    const isFirst = await Promise.race([session, ...writes.map(() => Promise.all(writes))]);
    const answers = await Promise.all(writes);
    const counts = await Promise.all([a, b].map(backends));
    await held.release();
    await put(b, 'after');
    await shown(a, b.graph.durableVersion);
    while ([a, b].some(({ graph }) => graph.health().status !== 'healthy')) await pause(5);

    expect(reasons).toEqual([
      expect.stringContaining('does not end'),
      expect.stringContaining('does not end'),
    ]);
    expect(isFirst).toBe('NOT_FOUND');
    expect(new Set(answers)).toEqual(new Set(['STORE_UNAVAILABLE']));
    expect(Math.max(...counts)).toBeLessThanOrEqual(BACKENDS_MAX);
    expect([a, b].map(({ graph }) => graph.unready)).toEqual([undefined, undefined]);
  });

  it('show a batch that is published while a COMMIT upon it hangs', async () => {
    const schema = 'upon';
    const [a, b] = [await cluster.open({ schema }), await cluster.open({ schema })];
    // The table is ready to be held before a publication reads it.
    await (await holdCommits(cluster.address, schema)).release();
    const publisher = await cluster.connection();
    await publisher.query(`BEGIN; UPDATE ${schema}.published SET seq = seq`);
    const first = put(a, 'first');
    while (Number((await cluster.rows(`SELECT seq FROM ${schema}.head`))[0]?.['seq']) < 1) await pause(5);
    const held = await holdCommits(cluster.address, schema);
    const second = answered(put(b, 'second'));
    while (!(await isWaiting(b, "query LIKE '%COMMIT'"))) await pause(5);
    const before = b.graph.durableVersion;
    await publisher.query('COMMIT');
    await publisher.close();
    await first;
    const isFirst = await Promise.race([shown(b, 1), second]);
    await held.release();
    await second;

    expect(before).toBe(0);
    expect(isFirst).toBeUndefined();
  });

  it.each([
    ['know another branch of the history', {}, 'there'],
    ['do not judge a number of another history', { id: 'of another batch' }, 'STORE_UNAVAILABLE'],
  ])('%s while their COMMIT hangs', async (_, other, expected) => {
    const schema = expected.toLowerCase();
    const node = await cluster.open({ schema });
    await put(node, 'first');
    const held = await holdCommits(cluster.address, schema);
    const second = answered(put(node, 'second'));
    while (!(await isWaiting(node, "query LIKE '%COMMIT'"))) await pause(5);
    const { epoch } = node.graph;
    const read = Reflect.get(BatchTable.prototype, 'head') as (...args: readonly unknown[]) => Promise<Head>;
    jest.spyOn(BatchTable.prototype, 'head').mockImplementation(async function (this: BatchTable, ...args) {
      return { ...(await Reflect.apply(read, this, args)), branch: 'next', ...other };
    });
    const judged = await node.graph.reachedPoint({ epoch: `${epoch}-next`, seq: 1 }, 1_000).then(
      () => 'there',
      (error: unknown) => errorCodeOf(error),
    );
    jest.restoreAllMocks();
    await held.release();
    await second;

    expect(judged).toBe(expected);
  });

  it('are degraded within five seconds, each with the reason', async () => {
    const schema = 'reasons';
    const [a, b] = [await cluster.open({ schema }), await cluster.open({ schema })];
    const held = await holdCommits(cluster.address, schema);
    let nowMs = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const writes = [put(a, 'first')];
    while (!(await isWaiting(a, "query LIKE '%COMMIT'"))) await pause(5);
    writes.push(put(b, 'second'));
    while (!(await isWaiting(b, "wait_event_type = 'Lock'"))) await pause(5);
    const before = [a, b].map(({ graph }) => graph.health().status);
    nowMs += DEGRADED_MS;
    const health = [a, b].map(({ graph }) => graph.health());
    jest.restoreAllMocks();
    await held.release();
    await Promise.all(writes);

    expect(before).toEqual(['healthy', 'healthy']);
    expect(health).toEqual([
      { status: 'degraded', reason: 'the database does not end a COMMIT' },
      { status: 'degraded', reason: 'the turn of another write does not end' },
    ]);
  });

  it('answer a write while the reading of other batches does not end, and never do its work', async () => {
    const schema = 'reading';
    const [node, other] = [await cluster.open({ schema }), await cluster.open({ schema })];
    const held = Promise.withResolvers<undefined>();
    const catchUp = jest.spyOn(node.store, 'catchUp').mockReturnValue(held.promise);
    await put(other, 'of another');
    while (catchUp.mock.calls.length === 0) await pause(5);
    const code = await answered(put(node, 'late'));
    jest.restoreAllMocks();
    held.resolve(undefined);
    await put(node, 'next');

    expect(code).toBe('STORE_UNAVAILABLE');
    expect(recordsOf(node.graph).entities.map(({ key }) => key)).toEqual(['next', 'of another']);
  });

  it('read the log once for all that they hear of meanwhile', async () => {
    const schema = 'news';
    const [node, other] = [await cluster.open({ schema }), await cluster.open({ schema })];
    const held = Promise.withResolvers<undefined>();
    const catchUp = jest.spyOn(node.store, 'catchUp').mockReturnValueOnce(held.promise);
    for (let seq = 1; seq <= WRITERS; seq++) {
      await put(other, String(seq));
      await told(node, seq);
    }
    const session = node.graph.sessions.get('unknown').catch((error: unknown) => errorCodeOf(error));
    held.resolve(undefined);
    await session;
    const upTo = catchUp.mock.calls.map(([, each]) => each);
    jest.restoreAllMocks();
    await shown(node, WRITERS);

    // The one that was held, and one for all that came since.
    expect(upTo.slice(0, 3)).toEqual(['published', 'published', 'acknowledged']);
  });

  it('commit a write whose own work took long, and answer those that wait for it', async () => {
    const store = await cluster.openStore({ schema: 'work', name: 'work' });
    const longAgo = performance.now() - 10 * ANSWER_MS;
    const batch = store.batch();
    batch.put(Uint8Array.of(0x7f), Uint8Array.of(1));
    await store.admit(performance.now());
    await store.turn(() => Promise.resolve(), longAgo);
    const first = store.append(batch, 0).durable;
    const doubtful = await store.answer(first, longAgo).catch((error: unknown) => error);
    const second = store.append(batch, 0).durable;
    store.endTurn();
    first.catch(() => undefined);
    const fault = await store.answer(second, longAgo).catch((error: unknown) => error);
    await store.close();

    const unknown = { message: expect.stringContaining('not known yet') as unknown };
    expect(doubtful).toMatchObject(unknown);
    // A busy machine may take longer for the COMMIT than what is left of the time.
    expect(fault ?? unknown).toMatchObject(unknown);
    expect(fault === undefined ? [2] : [0, 2]).toContain(store.durableSeq);
  });

  it('take the commit of a node whose answers are lost, and that node learns of it', async () => {
    const schema = 'deaf';
    const relay = await CuttingRelay.start(cluster.server.port);
    const [a, b] = [await cluster.open({ schema, port: relay.port }), await cluster.open({ schema })];
    await put(a, 'first');
    relay.cut('stuck');
    const second = { writeId: 'second', entities: [entity('host', 'Host', 'second')], relationships: [] };
    // On a busy machine the answer may be due first; then it is that of the repeated request.
    const reply = a.graph.write(second).catch(() => undefined);
    await shown(b, 2);
    await put(b, 'third');
    await shown(a, 3);

    expect((await reply) ?? (await a.graph.write(second))).toMatchObject({ entities_written: 1 });
    expect(a.graph.durableVersion).toBe(3);
    expect(await backends(a)).toBeLessThanOrEqual(BACKENDS_MAX);
    await relay.stop();
  });

  it('say of a bulk load that is refused what is kept, and with which line to go on', async () => {
    const relay = await CuttingRelay.start(cluster.server.port);
    const node = await cluster.open({ schema: 'bulk', port: relay.port });
    const line = (at: number): string =>
      `${JSON.stringify({ op: 'entity', type: 'host', key: String(at) })}\n`;
    const lines = (from: number, to: number): Buffer =>
      Buffer.from(Array.from({ length: to - from + 1 }, (_, at) => line(from + at)).join(''));
    async function* load(): AsyncGenerator<Buffer> {
      yield lines(1, 4);
      yield Buffer.from('{}\n');
      yield lines(6, 2_000);
      await shown(node, 1);
      relay.down();
      yield lines(2_001, 2_500);
    }
    const options = { parse: {}, write: {} };
    const fault: unknown = await new BulkLoad(node.graph, options)
      .run(Readable.from(load(), { objectMode: false }))
      .catch((error: unknown) => error);
    relay.up();
    while (node.graph.health().status !== 'healthy') await pause(5);
    const again = await new BulkLoad(node.graph, options).run(Readable.from([Buffer.from(line(1_002))]));

    expect(fault).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(
        /lines 1 to 1001 are kept: send the load again from line 1002$/,
      ) as unknown,
      details: { kept_lines: 1_001, next_line: 1_002, errors: [{ line: 5 }] },
    });
    expect(again).toMatchObject({ lines: 1, error_count: 0 });
    await cluster.close(node);
    await relay.stop();
  });

  it('keep their connections bounded while these are cut, and while the network transmits nothing', async () => {
    const schema = 'cut';
    const relay = await CuttingRelay.start(cluster.server.port);
    const node = await cluster.open({ schema, port: relay.port });
    const counts: number[] = [];
    for (let round = 0; round < 4; round++) {
      relay.cut('before', 'after');
      for (let at = 0; at < WRITERS; at++)
        await put(node, `${String(round)}-${String(at)}`).catch(() => undefined);
      relay.down();
      counts.push(await backends(node));
      relay.up();
      await put(node, 'up').catch(() => undefined);
      counts.push(await backends(node));
    }
    relay.cut();
    relay.stall();
    const stalled = await answered(put(node, 'stalled'));
    counts.push(await backends(node));
    relay.resume();
    while ((await answered(put(node, 'resumed'))) !== 'written');
    while ((await backends(node)) > BACKENDS_MAX) await pause(5);

    expect(stalled).toBe('STORE_UNAVAILABLE');
    expect(Math.max(...counts)).toBeLessThanOrEqual(BACKENDS_CUT_MAX);
    await cluster.close(node);
    await relay.stop();
  });
});
