import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemNowUs, ZERO_TALLY } from '#load/protocol';
import { DomainError } from '#platform/foundation';
import { TestEdge } from './test-edge.ts';
import { TestHive } from './test-hive.ts';

describe('an uplink', () => {
  let hive: TestHive;
  let edge: TestEdge;

  beforeEach(async () => {
    hive = await TestHive.start();
    edge = await TestEdge.connect('a', { address: hive.address });
  });
  afterEach(async () => {
    await edge.stop();
    await hive.stop();
  });

  it('delivers orders in sequence', async () => {
    const channel = hive.gateway.channels.get('a');
    channel?.prepare({ runId: 'r', revision: 3, planJson: '{"a":"é"}' });
    channel?.makeReady('r', '');
    channel?.start('r', 1_000_000);
    channel?.stop('r', true, 'why');
    await edge.story.has('stop');

    expect(edge.story.lines).toEqual([
      'connected',
      'prepare r 3 {"a":"é"}',
      'make ready r',
      'start r',
      'stop r true why',
    ]);
  });

  it('delivers answers, heartbeats and progress', async () => {
    hive.gateway.channels.get('a')?.prepare({ runId: 'r', revision: 3, planJson: '{}' });
    await edge.story.has('prepare');
    const order = edge.order ?? { runId: '', revision: 0, planJson: '' };
    edge.client.ack(order);
    edge.client.nack(order, 'chain_id_mismatch', 'got 1');
    edge.client.progress({
      runId: 'r',
      phase: 'settling',
      reason: '',
      tally: { ...ZERO_TALLY, planned: 2 ** 40 },
      measured: ZERO_TALLY,
      histograms: { h: Uint8Array.of(0, 255) },
    });
    const { story } = hive.gateway;

    expect(await story.has('acked')).toBe('a 1 acked r 3');
    expect(await story.has('nacked')).toBe('a 1 nacked r 3 chain_id_mismatch got 1');
    expect(await story.has('progressed')).toBe(`a 1 progressed settling ${2 ** 40} 00ff`);
    expect(await story.has('heartbeat')).toBe('a 1 heartbeat 412346 true r plexus_tx_failed_total x 3');
  });

  it('deregisters when it leaves', async () => {
    await edge.client.close({ isLeaving: true });

    expect(await hive.gateway.story.has('deregistered')).toBe('deregistered a');
    expect(edge.story.lines).toEqual(['connected']);
  });

  it('stays registered when it ends without leaving', async () => {
    await edge.client.close({ isLeaving: false });

    await hive.gateway.story.has('closed');
    expect(hive.gateway.story.lines).not.toContain('deregistered a');
  });

  it('sends batches until they are answered, limited by its credit', async () => {
    const answers: PromiseWithResolvers<void>[] = [];
    hive.gateway.take_ = () => {
      const answer = Promise.withResolvers<undefined>();
      answers.push(answer as PromiseWithResolvers<void>);
      return answer.promise;
    };
    for (let i = 0; i < 10; i++) edge.push(`batch ${i}`);
    await hive.gateway.story.has('batch r 4');
    // A further round trip on the same connection: all earlier messages have arrived.
    const heard = hive.gateway.story.lines.length;
    await hive.gateway.story.has('heartbeat', heard);

    expect(hive.gateway.batches.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    answers[0]?.resolve();
    await hive.gateway.story.has('batch r 5');
    hive.gateway.take_ = () => Promise.resolve();
    for (const answer of answers) answer.resolve();
    await edge.client.flushed('r');

    expect(hive.gateway.batches.map(({ tables }) => Buffer.from(tables).toString())).toEqual(
      Array.from({ length: 10 }, (_, i) => `batch ${i}`),
    );
    expect(edge.client.batchTally('r')).toEqual({ sent: 10, acked: 10, refused: 0 });
  });

  it('discards a batch that the hive rejects for good', async () => {
    hive.gateway.take_ = ({ seq }) =>
      seq === 2 ? Promise.reject(new DomainError('RUN_ENDED', 'it is over')) : Promise.resolve();
    for (const text of ['aaa', 'bb', 'c']) edge.push(text);
    await edge.client.flushed('r');

    expect(edge.story.lines).toContain('refused r RUN_ENDED 2');
    expect(edge.client.batchTally('r')).toEqual({ sent: 3, acked: 2, refused: 1 });
  });

  it('resends unanswered batches with the same numbers after a reconnect', async () => {
    hive.gateway.take_ = ({ seq }) => (seq === 1 ? Promise.resolve() : new Promise(() => undefined));
    for (const text of ['aaa', 'bb', 'c']) edge.push(text);
    await hive.gateway.story.has('batch r 3');
    const { gateway, port } = hive;
    await hive.stop();
    await edge.story.has('disconnected');
    expect(edge.client.isConnected).toBe(false);
    edge.push('dddd');
    const counts = { tally: ZERO_TALLY, measured: ZERO_TALLY };
    edge.client.progress({ runId: 'r', phase: 'done', reason: '', ...counts, histograms: {} });
    const heard = gateway.story.lines.length;
    gateway.take_ = () => Promise.resolve();

    hive = await TestHive.start({ port, gateway });
    await edge.client.flushed('r');

    expect(gateway.story.lines.slice(heard).filter((line) => line.includes('batch'))).toEqual(
      expect.arrayContaining(['a batch r 2', 'a batch r 3', 'a batch r 4']),
    );
    expect(await gateway.story.has('progressed', heard)).toBe('a 1 progressed done 0 ');
  });

  it('limits the held batches, and reports when there is room again', async () => {
    await edge.stop();
    edge = await TestEdge.connect('a', { address: hive.address, heldBytesMax: 6 });
    const answer = Promise.withResolvers<undefined>();
    hive.gateway.take_ = () => answer.promise.then(() => undefined);
    edge.push('aaa');
    expect(edge.client.hasRoom).toBe(true);
    edge.push('bbb');
    expect(edge.client.hasRoom).toBe(false);

    answer.resolve(undefined);
    await edge.client.room();

    expect(edge.client.hasRoom).toBe(true);
  });

  it('rejects a pending flush when it ends with unacknowledged batches', async () => {
    hive.gateway.take_ = () => new Promise(() => undefined);
    edge.push('a');
    const outcome = expect(edge.client.flushed('r')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });

    await edge.stop();

    await outcome;
  });

  it('estimates the clock offset, and starts by its own clock', async () => {
    const aheadUs = 3_600_000_000;
    // With fractions of a millisecond like the hive's: otherwise an exchange within one runs backwards.
    const nowUs = (): number => systemNowUs() + aheadUs;
    const other = await TestEdge.connect('b', { address: hive.address, nowUs });
    const startAtUs = Date.now() * 1_000 + 5_000_000;
    await hive.gateway.story.has('b 1 clock');
    // An order that follows the next probe arrives after the answer to the edge's own probe.
    const heard = hive.gateway.story.lines.length;
    await hive.gateway.story.has('b 1 heartbeat', heard);
    await hive.gateway.story.has('b 1 heartbeat', hive.gateway.story.lines.length);
    hive.gateway.channels.get('b')?.start('r', startAtUs);
    await other.story.has('start');

    const hiveSaw = hive.gateway.clocks.get('b');
    expect(Math.abs((hiveSaw?.offsetUs ?? 0) - aheadUs)).toBeLessThan((hiveSaw?.errorUs ?? 0) + 50_000);
    expect(Math.abs((other.startAtUs ?? 0) - startAtUs - aheadUs)).toBeLessThan(2_000_000);
    await other.stop();
  });
});

describe('two edges with the same id', () => {
  it('keep the later one, and the earlier one does not reconnect', async () => {
    const hive = await TestHive.start();
    const earlier = await TestEdge.connect('a', { address: hive.address });
    const identity = { edgeId: 'a', version: '', hostname: '', labels: {}, workers: 1, cores: 1 };
    const later = await TestEdge.connect('a', {
      address: hive.address,
      identity: { ...identity, instanceId: '2' },
    });

    expect(await earlier.story.has('evicted')).toBe('evicted another took this id');
    await earlier.stop();
    const again = new TestEdge('a', { address: hive.address, identity: { ...identity, instanceId: '1' } });
    expect(await again.story.has('evicted')).toContain('registered again by another');

    expect(later.client.isConnected).toBe(true);
    await again.stop();
    await later.stop();
    await hive.stop();
  });
});

describe('a dead peer', () => {
  it('is detected by the uplink when the hive disappears silently', async () => {
    const hive = await TestHive.start();
    const edge = await TestEdge.connect('a', { address: hive.address });

    await hive.stop();

    expect(await edge.story.has('disconnected')).toContain('disconnected');
    await edge.stop();
  });
});
