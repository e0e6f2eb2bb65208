/** Sessions of Bolt in which bytes have changed: each message has one reply, or the connection ends. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BoltPeer, framed, MESSAGE, packedByDriver, structure } from '#graph/testing';
import { effort } from '#testing';
import { TestService } from './support/test-service.ts';

const runs = {
  numRuns: Number(process.env['PROPERTY_RUNS'] ?? effort(300, 60)),
  // Given, so that a case that nobody has met yet does not fail an unrelated change.
  seed: Number(process.env['PROPERTY_SEED'] ?? 1),
};
const INTERNAL = 'Neo.DatabaseError.General.UnknownError';
const ALL = { n: -1n };
const VERSIONS: readonly (readonly [major: number, minor: number])[] = [
  [4, 4],
  [5, 0],
  [5, 8],
];

/** One value of each kind that a client may send, with sizes of every width. */
const VALUES = {
  scalars: [null, true, -17n, 2n ** 40n, -(2n ** 63n), 0.5, 'text', 'ä'.repeat(200)],
  long: Array.from({ length: 300 }, (_, index) => BigInt(index)),
  map: { a: { b: { c: [[[]]] } } },
  times: [
    structure(0x44, 20_000n),
    structure(0x54, 1_000n, 3_600n),
    structure(0x74, 1_000n),
    structure(0x49, 1_700_000_000n, 5n, 3_600n),
    structure(0x69, 1_700_000_000n, 5n, 'Europe/Berlin'),
    structure(0x46, 1_700_000_000n, 5n, 3_600n),
    structure(0x66, 1_700_000_000n, 5n, 'Europe/Berlin'),
    structure(0x64, 1_700_000_000n, 5n),
    structure(0x45, 1n, 2n, 3n, 4n),
    structure(0x58, 4326n, 0.5, 1.5),
    structure(0x59, 9157n, 0.5, 1.5, 2.5),
  ],
};

const requests = fc.constantFrom(
  structure(MESSAGE.run, 'RETURN $times AS times, $map AS map, $long AS long', VALUES, {}),
  structure(MESSAGE.run, 'UNWIND range(1, 300) AS i RETURN i', {}, { mode: 'r', tx_timeout: 60_000n }),
  structure(MESSAGE.run, 'CREATE (n:Ghost {id: $scalars[1]}) RETURN n', VALUES, { db: 'neo4j' }),
  structure(MESSAGE.run, 'MATCH (n RETURN', {}, {}),
  structure(MESSAGE.begin, { mode: 'w', bookmarks: [], tx_metadata: { app: 'x', more: [1n] } }),
  structure(MESSAGE.pull, ALL),
  structure(MESSAGE.pull, { n: 7n, qid: -1n }),
  structure(MESSAGE.discard, { n: 2n, qid: 0n }),
  structure(MESSAGE.commit),
  structure(MESSAGE.rollback),
  structure(MESSAGE.reset),
  structure(MESSAGE.telemetry, 1n),
  structure(MESSAGE.route, { address: 'localhost:7687' }, [], { db: 'neo4j' }),
  structure(MESSAGE.logoff),
  structure(MESSAGE.logon, { scheme: 'basic', principal: 'any', credentials: 'any' }),
  structure(MESSAGE.hello, { user_agent: 'again/1' }),
);

/** What begins a large value, or many values inside each other. */
const EXCESSES: readonly Buffer[] = [
  ...['d6', 'da', 'd2', 'ce'].map((marker) => Buffer.from(`${marker}ffffffff`, 'hex')),
  ...['d5', 'd9', 'd1', 'cd'].map((marker) => Buffer.from(`${marker}ffff`, 'hex')),
  Buffer.from('ffff', 'hex'),
  Buffer.alloc(100_000, 0x91),
  Buffer.alloc(100_000, Buffer.from('a18161', 'hex')),
  Buffer.alloc(100_000, Buffer.from('b144', 'hex')),
];

interface Change {
  readonly at: number;
  readonly removed: number;
  readonly added: Uint8Array;
}

const changes = fc.record<Change>({
  at: fc.nat({ max: 1_000_000 }),
  removed: fc.oneof(fc.constantFrom(0, 1), fc.nat({ max: 2_000 })),
  added: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 1 }),
    fc.uint8Array({ maxLength: 12 }),
    fc.constantFrom(...EXCESSES),
  ),
});

function changed(bytes: Buffer, { at, removed, added }: Change): Buffer {
  const start = at % (bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, start), added, bytes.subarray(start + removed)]);
}

/** The number of messages in the chunks, the last of which is completed by zeros. */
function completed(bytes: Buffer): { readonly bytes: Buffer; readonly messages: number } {
  let [at, messages, size] = [0, 0, 0];
  while (at < bytes.length || size > 0) {
    // A head of one byte gets a second one.
    const chunk = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    at += 2 + chunk;
    if (chunk === 0 && size > 0) messages++;
    size = chunk === 0 ? 0 : size + chunk;
  }
  return { bytes: Buffer.concat([bytes, Buffer.alloc(at - bytes.length)]), messages };
}

describe('a session of Bolt with changed bytes', () => {
  let service: TestService;
  let witness: BoltPeer;

  beforeAll(async () => {
    service = await TestService.start({ environment: { PLEXUS_BOLT_PORT: '0' } });
    witness = await BoltPeer.admitted(service.boltAddress);
  });
  afterAll(async () => {
    witness.destroy();
    await service.stop();
  });

  /** Another client, which was there before. */
  async function expectServed(): Promise<void> {
    witness.send(MESSAGE.run, 'RETURN 1 AS one', {}, {});
    witness.send(MESSAGE.pull, ALL);
    expect((await witness.reply()).kind).toBe('success');
    expect((await witness.replies()).map(({ kind }) => kind)).toEqual(['record', 'success']);
  }

  /** False once the connection has ended. Any failure says what the client has done. */
  async function isAnswered(peer: BoltPeer): Promise<boolean> {
    try {
      const { kind, content } = (await peer.replies()).at(-1) ?? {};
      if (kind === 'failure') expect(content?.['neo4j_code'] ?? content?.['code']).not.toBe(INTERNAL);
      return true;
    } catch (error) {
      if (peer.socket.closed) return false;
      throw error;
    }
  }

  /** The client leaves in the midst of whatever it has begun. */
  async function ask([major, minor]: readonly [number, number], bytes: Buffer): Promise<void> {
    const peer = await BoltPeer.of(service.boltAddress, major, minor);
    try {
      const sent = completed(bytes);
      peer.socket.write(sent.bytes);
      for (let count = 0; count < sent.messages; count++) if (!(await isAnswered(peer))) return;
      peer.send(MESSAGE.reset);
      if (await isAnswered(peer)) peer.send(MESSAGE.begin, {});
    } finally {
      peer.destroy();
    }
  }

  it('is answered message by message, or ended, and others are served', async () => {
    const sessions = fc.record({
      version: fc.constantFrom(...VERSIONS),
      asked: fc.array(requests, { minLength: 1, maxLength: 8 }),
      chunk: fc.constantFrom(1, 7, 0xffff),
      change: fc.array(changes, { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(sessions, async ({ version, asked, chunk, change }) => {
        const credentials = { scheme: 'basic', principal: 'any', credentials: 'any' };
        const greetings = [structure(MESSAGE.hello, { user_agent: 'peer/1', ...credentials })];
        if (version[0] === 5 && version[1] > 0) greetings.push(structure(MESSAGE.logon, credentials));
        const whole = [...greetings, ...asked].map((each) => framed(packedByDriver(each), chunk));

        await ask(version, change.reduce(changed, Buffer.concat(whole)));

        await expectServed();
      }),
      runs,
    );

    await service.metricIs('plexus_bolt_connections_open', 1);
    await service.metricIs('plexus_queries_running', 0);
    expect(service.graph.openSnapshots).toBeLessThanOrEqual(1);
  });

  it('agrees on a version that it has offered, or is ended, whatever its first bytes are', async () => {
    const offers = fc
      .tuple(
        fc.constantFrom(
          '6060b01700040805000002040000000400000003',
          '6060b017000001ff000408050000000500000004',
        ),
        fc.array(fc.tuple(fc.nat({ max: 19 }), fc.nat({ max: 255 })), { maxLength: 3 }),
      )
      .map(([hex, bytes]) => {
        const offer = Buffer.from(hex, 'hex');
        for (const [at, byte] of bytes) offer[at] = byte;
        return offer;
      });
    await fc.assert(
      fc.asyncProperty(offers, async (offer) => {
        const peer = await BoltPeer.connect(service.boltAddress);
        peer.socket.write(offer);
        const reply = await peer.bytes(4).catch(() => undefined);
        const [, , minor = 0, major = 0] = reply ?? [];
        if (major === 0) await peer.closed;
        else if (major !== 0xff)
          expect([[4, 4], ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((each) => [5, each])]).toContainEqual([
            major,
            minor,
          ]);
        peer.destroy();

        await expectServed();
      }),
      runs,
    );
  });
});
