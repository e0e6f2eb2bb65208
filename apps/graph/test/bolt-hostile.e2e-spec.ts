/** Clients of Bolt that violate the protocol, stop reading or vanish: the service keeps nothing of them. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BoltLimits } from '#graph/api/bolt';
import { BoltPeer, framed, MESSAGE, packedByDriver, structure } from '#graph/testing';
import { effort } from '#testing';
import { clique } from './support/estate.ts';
import { TestService } from './support/test-service.ts';

setFlagsFromString('--expose-gc');
/** What was freed counts for nothing, however late it is collected on a busy machine. */
const collectGarbage = runInNewContext('gc') as () => void;

const MIB = 2 ** 20;
/** What a client that is to be let go may take. */
const SHORT_MS = 200;
/** Longer than any pause of a busy machine. */
const LONG_MS = 600_000;
/** Never ends by itself. */
const ENDLESS =
  'UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a WHERE a < 0 RETURN count(*)';
const ALL = { n: -1n };

/** Those of the next connections. */
class ChangingLimits extends BoltLimits {
  override stallMs = LONG_MS;
  override admissionMs = LONG_MS;
  override readonly connectionsMax = 20;
}

describe('a hostile client of Bolt', () => {
  let service: TestService;
  let limits: ChangingLimits;

  beforeEach(async () => {
    limits = new ChangingLimits({ bodyBytesMax: MIB, transactionMs: 60_000 });
    service = await TestService.start({
      environment: { PLEXUS_BOLT_PORT: '0', PLEXUS_QUERY_TIMEOUT: '10m' },
      override: (builder) => builder.overrideProvider(BoltLimits).useValue(limits),
    });
  });
  afterEach(() => service.stop());

  /** Nothing of any client is left, and others are served. */
  async function expectCalm(): Promise<void> {
    await service.metricIs('plexus_bolt_connections_open', 0);
    await service.metricIs('plexus_queries_running', 0);
    expect(service.graph.openSnapshots).toBeLessThanOrEqual(1);
    limits.admissionMs = LONG_MS;
    const peer = await BoltPeer.admitted(service.boltAddress);
    peer.send(MESSAGE.run, 'RETURN 1 AS one', {}, {});
    peer.send(MESSAGE.pull, ALL);
    expect((await peer.reply()).content).toMatchObject({ fields: ['one'] });
    expect((await peer.replies()).map(({ kind }) => kind)).toEqual(['record', 'success']);
    peer.destroy();
  }

  it.each([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
    ['noise', Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 197 + 31) & 0xff))],
    ['no version that is known', Buffer.from('6060b01700000003000000000000000000000000', 'hex')],
    [
      'a manifest’s choice of nothing',
      Buffer.from('6060b017000001ff00000000000000000000000000000905', 'hex'),
    ],
    ['nothing, and waits,', Buffer.alloc(0)],
    ['half of a handshake, and waits,', Buffer.from('6060b0170008', 'hex')],
    ['half of a message, and waits,', Buffer.from('6060b0170000080500000000000000000000000000ff01', 'hex')],
  ])('that sends %s is let go', async (_, bytes) => {
    limits.admissionMs = SHORT_MS;
    const peer = await BoltPeer.connect(service.boltAddress);
    peer.socket.write(bytes);
    await peer.closed;

    await expectCalm();
  });

  it.each([
    ['no message', Buffer.from('c0', 'hex'), 'Neo.ClientError.Request.InvalidFormat'],
    ['an unknown message', packedByDriver(structure(0x55)), 'Neo.ClientError.Request.Invalid'],
    [
      'a statement before it is known',
      packedByDriver(structure(0x10, 'RETURN 1', {}, {})),
      'Neo.ClientError.Request.Invalid',
    ],
    ['a reset before it is known', packedByDriver(structure(0x0f)), 'Neo.ClientError.Request.Invalid'],
    [
      'more than a client may send before it is admitted',
      packedByDriver(structure(0x01, { user_agent: 'x'.repeat(70_000) })),
      'Neo.ClientError.Request.InvalidFormat',
    ],
    [
      'a greeting that is no map',
      packedByDriver(structure(0x01, 'hello')),
      'Neo.ClientError.Request.Invalid',
    ],
  ])('that begins with %s gets an error and is disconnected', async (_, message, code) => {
    const peer = await BoltPeer.of(service.boltAddress, 5, 8);
    peer.socket.write(framed(message));
    const reply = await peer.reply();
    if (reply.content['neo4j_code'] === undefined) throw new Error(JSON.stringify(reply));

    expect(reply).toMatchObject({ kind: 'failure', content: { neo4j_code: code, gql_status: '08N06' } });
    // One that may go on after a failure has to say so; here it leaves.
    peer.destroy();
    await expectCalm();
  });

  it('is answered or let go, whatever it sends once it is known', async () => {
    const tags = fc.constantFrom(...Object.values(MESSAGE), 0x00, 0x7f);
    const bytes = fc.uint8Array({ maxLength: 40 });
    const field = fc.oneof(
      fc.constant({}),
      fc.constant(ALL),
      fc.constantFrom(
        'RETURN 1 AS x',
        'UNWIND range(1, 300) AS x RETURN x',
        'RETURN',
        '(',
        'RETURN 1 / 0 AS x',
        '',
      ),
      fc.dictionary(
        fc.constantFrom('n', 'qid', 'mode', 'db', 'bookmarks', 'tx_timeout', 'x'),
        fc.oneof(fc.bigInt({ min: -2n, max: 5n }), fc.constantFrom('r', 'w', 'x', null)),
      ),
      fc.constantFrom(null, 1n, [], ['a'], true, 0.5),
    );
    const message = fc.oneof(
      fc
        .tuple(tags, fc.array(field, { maxLength: 3 }))
        .map(([tag, fields]) => packedByDriver(structure(tag, ...fields))),
      bytes.map((each) => Buffer.from(each)),
      fc.tuple(tags, bytes).map(([tag, each]) => Buffer.from([0xb1, tag, ...each])),
    );
    const frame = fc.oneof(
      message.map((each) => framed(each)),
      bytes.map((each) => Buffer.from(each)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 12 }), async (frames) => {
        const peer = await BoltPeer.admitted(service.boltAddress);
        peer.socket.write(Buffer.concat(frames));
        peer.socket.end();
        await peer.closed;
      }),
      { numRuns: effort(400, 60) },
    );

    await expectCalm();
  });

  it('gets an error for bytes, structures and nesting as parameters, and may go on after a reset', async () => {
    const peer = await BoltPeer.admitted(service.boltAddress);
    const failures: unknown[] = [];
    for (const x of [
      new Int8Array(3),
      structure(0x4e, 1n, [], {}, 'a'),
      structure(0x99),
      structure(0x44, 'x'),
      structure(0x58, 1n, 1, 2),
    ]) {
      peer.send(MESSAGE.run, 'RETURN $x', { x: [x] }, {});
      peer.send(MESSAGE.pull, ALL);
      peer.send(MESSAGE.reset);
      failures.push((await peer.reply()).content['message']);
      expect([(await peer.reply()).kind, (await peer.reply()).kind]).toEqual(['ignored', 'success']);
    }
    peer.destroy();

    expect(failures).toEqual([
      'parameter $x: bytes are no value: send a text or a list',
      'parameter $x: a node cannot be a parameter',
      'parameter $x: a structure with the tag 0x99 is no value',
      'parameter $x: expected days to be an integer',
      'parameter $x: expected a point in one of the systems 4326, 4979, 7203, 9157',
    ]);
  });

  it('gets an error for a message above the limit', async () => {
    const peer = await BoltPeer.admitted(service.boltAddress);
    peer.socket.write(
      framed(packedByDriver(structure(0x10, 'RETURN 1', { x: 'x'.repeat(MIB) }, {}), 2 * MIB)),
    );

    expect(await peer.reply()).toMatchObject({
      kind: 'failure',
      content: { message: `expected a message of at most ${MIB} bytes` },
    });
    await peer.closed;
    await expectCalm();
  });

  it('stops its statement by a reset, at once and before what it has sent in front of it', async () => {
    const peer = await BoltPeer.admitted(service.boltAddress);
    peer.send(MESSAGE.run, ENDLESS, {}, {});
    peer.send(MESSAGE.pull, ALL);
    await service.metricIs('plexus_queries_running', 1);
    peer.send(MESSAGE.reset);
    const kinds = [(await peer.reply()).kind, (await peer.reply()).kind, (await peer.reply()).kind];
    peer.send(MESSAGE.run, 'RETURN 1 AS one', {}, {});
    kinds.push((await peer.reply()).kind);
    peer.destroy();

    expect(kinds).toEqual(['success', 'ignored', 'success', 'success']);
    await expectCalm();
  });

  it.each(['destroy', 'end', 'goodbye'])(
    'releases everything when it vanishes by %s while its statement runs',
    async (way) => {
      const peer = await BoltPeer.admitted(service.boltAddress);
      peer.send(MESSAGE.begin, {});
      peer.send(MESSAGE.run, ENDLESS, {}, {});
      peer.send(MESSAGE.pull, ALL);
      await service.metricIs('plexus_queries_running', 1);
      if (way === 'goodbye') peer.send(MESSAGE.goodbye);
      else if (way === 'end') peer.socket.end();
      else peer.destroy();
      await peer.closed;

      await expectCalm();
    },
  );

  it('has its open transaction rolled back when it vanishes', async () => {
    const peer = await BoltPeer.admitted(service.boltAddress);
    peer.send(MESSAGE.begin, {});
    peer.send(MESSAGE.run, 'RETURN 1', {}, {});
    await peer.reply();
    await peer.reply();
    peer.destroy();

    await expectCalm();
  });

  it('is refused above the number of connections, and others go on', async () => {
    const peers: BoltPeer[] = [];
    for (let count = 0; count < 20; count++) peers.push(await BoltPeer.admitted(service.boltAddress));
    const refused = await BoltPeer.connect(service.boltAddress);
    await refused.closed;
    peers[0]?.send(MESSAGE.run, 'RETURN 1 AS one', {}, {});

    expect((await peers[0]?.reply())?.kind).toBe('success');
    expect(await service.metric('plexus_bolt_connections_refused_total{reason="limit"}')).toBe(1);
    for (const peer of peers) peer.destroy();
    await expectCalm();
  });

  it('gets a reply to each of many requests at once', async () => {
    const peer = await BoltPeer.admitted(service.boltAddress);
    const count = 1_000;
    for (let index = 0; index < count; index++) {
      peer.send(MESSAGE.run, 'RETURN $i AS i', { i: BigInt(index) }, {});
      peer.send(MESSAGE.pull, ALL);
    }
    const rows: unknown[] = [];
    for (let index = 0; index < count; index++) {
      await peer.reply();
      const [record] = await peer.replies();
      rows.push(record?.content[0]);
    }
    peer.destroy();

    expect(rows).toEqual(Array.from({ length: count }, (_, index) => BigInt(index)));
  });

  describe('that stops reading', () => {
    beforeEach(async () => {
      limits.stallMs = SHORT_MS;
      const { entities, relationships } = clique(60) as {
        readonly entities: readonly object[];
        readonly relationships: readonly object[];
      };
      const properties = { text: 'x'.repeat(50_000) };
      const written = entities.map((entity) => ({ ...entity, properties }));
      await service.json(200, 'POST', '/v1/ingest/write', { entities: written, relationships });
    });

    /** Answered with about 70 MB. */
    const PAIRS = 'MATCH (a:node)-[:CONNECTS]->(b) RETURN a, b';
    const heldBytes = (): number => {
      collectGarbage();
      const { heapUsed, external, arrayBuffers } = process.memoryUsage();
      return heapUsed + external + arrayBuffers;
    };

    it('costs little memory, and is disconnected', async () => {
      const peer = await BoltPeer.admitted(service.boltAddress);
      peer.socket.pause();
      const before = heldBytes();
      peer.send(MESSAGE.run, PAIRS, {}, {});
      peer.send(MESSAGE.pull, ALL);
      await service.metricIs('plexus_bolt_connections_open', 1);
      let most = 0;
      while ((await service.metric('plexus_bolt_connections_open')) > 0)
        most = Math.max(most, heldBytes() - before);
      peer.socket.resume();
      await peer.closed;

      expect(most).toBeLessThan(128 * MIB);
      await expectCalm();
    });

    it('costs little memory by requests whose replies it does not read', async () => {
      const peer = await BoltPeer.admitted(service.boltAddress);
      peer.socket.pause();
      const resets = Buffer.alloc(16 * MIB, framed(packedByDriver(structure(MESSAGE.reset))));
      const before = heldBytes();
      peer.socket.write(resets);
      let most = 0;
      while ((await service.metric('plexus_bolt_connections_open')) > 0)
        most = Math.max(most, heldBytes() - before);
      peer.destroy();

      expect(most).toBeLessThan(128 * MIB);
      await expectCalm();
    });
  });
});
