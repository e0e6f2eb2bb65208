import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeHeadBytes, encodeEntityHead, encodeProperties } from '#graph/memory';
import { entityId, relationshipId } from '#graph/model';
import { batchKey, sessionKey } from '../session/open-session.ts';
import { earlierWriteReplyKey, syncReplyKey, writeReplyKey } from '../store/stored-replies.ts';
import { RecordWriter } from './record-writer.ts';
import {
  readEntityValue,
  readRelationshipValue,
  writeEntityValue,
  writeRelationshipValue,
} from './content-record.ts';
import { describeOperation } from './describe-operation.ts';
import { decodeLastSeen, encodeLastSeen } from './last-seen-record.ts';
import {
  readEntityKey,
  readRelationshipKey,
  writeEntityKey,
  writeLastSeenKey,
  RECORD_KIND,
  textKey,
  writeRelationshipKey,
  writeStatementsKey,
} from './record-key.ts';
import { PrefixDecoder, PrefixEncoder } from './record-prefix.ts';

const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((value) => value.isWellFormed() && !value.includes('\0'));
const name = fc.record({ type: text, key: text });
const timeMs = fc.integer({ min: 0, max: 2 ** 45 });
const owners = fc.uniqueArray(text, { maxLength: 4 });
const stamp = fc.record({
  connectorId: text,
  syncId: fc.oneof(text, fc.constant('')),
  syncedAtMs: timeMs,
  createdAtMs: timeMs,
  updatedAtMs: timeMs,
  lastSeenAtMs: timeMs,
  deletedAtMs: fc.option(timeMs),
  version: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
});
const properties = fc.dictionary(
  text,
  fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.constant(null)),
);

describe('record keys', () => {
  it('decode to their entity', () => {
    fc.assert(
      fc.property(name, (entity) => {
        const key = writeEntityKey(new RecordWriter(), entity.type, entity.key).view();

        expect(readEntityKey(key)).toEqual(entity);
      }),
    );
  });

  it('decode to their relationship, with the verb in upper case', () => {
    fc.assert(
      fc.property(name, text, name, fc.option(text, { nil: undefined }), (from, verb, to, own) => {
        const key = writeRelationshipKey(new RecordWriter(), { from, verb, to, key: own }).view();

        expect(readRelationshipKey(key)).toEqual({ from, verb: verb.toUpperCase(), to, key: own });
      }),
    );
  });

  it('are in the same order for records and their last-seen records', () => {
    fc.assert(
      fc.property(name, name, (a, b) => {
        const [first, second] = [a, b].map(({ type, key }) =>
          writeEntityKey(new RecordWriter(), type, key).view(),
        );
        const sightings = [first, second].map((key) =>
          writeLastSeenKey(new RecordWriter(), key ?? new Uint8Array()),
        );

        const order = Buffer.compare(first ?? new Uint8Array(), second ?? new Uint8Array());
        const [one, other] = sightings.map((writer) => writer.view());

        expect(Buffer.compare(one ?? new Uint8Array(), other ?? new Uint8Array())).toBe(order);
      }),
    );
  });
});

describe('record values', () => {
  it('decode to stamp, owners and content of entities', () => {
    const prefixes = new PrefixEncoder();
    const decoder = new PrefixDecoder();
    fc.assert(
      fc.property(stamp, owners, name, properties, (written, by, { type, key }, content) => {
        const input = { type, key, class: type, displayName: key, properties: content };
        const head = encodeEntityHead(entityId(type, key), input);
        const value = writeEntityValue(new RecordWriter(), prefixes.encode(written, by), head).view();

        const record = readEntityValue(value, decoder);

        expect({ stamp: record.stamp, owners: record.owners }).toEqual({ stamp: written, owners: by });
        expect(decodeHeadBytes(record.head)).toEqual({ id: entityId(type, key), ...input });
      }),
    );
  });

  it('decode to stamp, owners and content of relationships', () => {
    const decoder = new PrefixDecoder();
    fc.assert(
      fc.property(stamp, owners, text, properties, (written, by, verb, content) => {
        const propertiesJson = encodeProperties(content);
        const prefix = new PrefixEncoder().encode(written, by);
        const value = writeRelationshipValue(new RecordWriter(), prefix, { verb, propertiesJson }).view();

        const record = readRelationshipValue(value, decoder);

        expect(record.stamp).toEqual(written);
        expect(record.owners).toEqual(by);
        expect(record.verb).toBe(verb);
        expect(Buffer.compare(record.propertiesJson, propertiesJson)).toBe(0);
      }),
    );
  });

  it('share one stamp object if equal neighbours are decoded', () => {
    fc.assert(
      fc.property(stamp, owners, (written, by) => {
        const prefixes = new PrefixEncoder();
        const decoder = new PrefixDecoder();
        const values = ['{a', '{b'].map((head) =>
          writeEntityValue(new RecordWriter(), prefixes.encode(written, by), Buffer.from(head)).copy(),
        );

        const [first, second] = values.map((value) => readEntityValue(value, decoder));

        expect(first?.stamp).toBe(second?.stamp);
      }),
    );
  });

  it('decode to last-seen records', () => {
    fc.assert(
      fc.property(timeMs, owners, (lastSeenAtMs, by) => {
        expect(decodeLastSeen(encodeLastSeen({ lastSeenAtMs, owners: by }))).toEqual({
          lastSeenAtMs,
          owners: by,
        });
      }),
    );
  });

  it('are reported as corrupt if truncated', () => {
    const value = new PrefixEncoder().encode(sampleStamp(), ['api']);
    for (let length = 0; length < value.length; length++) {
      expect(() => readEntityValue(value.subarray(0, length), new PrefixDecoder())).toThrow(
        expect.objectContaining({ code: 'STORE_CORRUPT' }),
      );
    }
  });
});

describe('describeOperation', () => {
  it('describes operations of an entity', () => {
    const id = entityId('host', 'web-01');
    const input = { type: 'host', key: 'web-01', class: 'Host', displayName: 'Web 1', properties: {} };
    const key = writeEntityKey(new RecordWriter(), 'host', 'web-01').view();
    const prefix = new PrefixEncoder().encode(sampleStamp(), ['api']);
    const value = writeEntityValue(new RecordWriter(), prefix, encodeEntityHead(id, input)).view();

    expect(describeOperation(key, value, false)).toBe(`+ entity [host] Web 1 (${id})`);
    expect(describeOperation(key, value, true)).toBe(`- entity ${id}`);
    expect(describeOperation(Buffer.concat([Buffer.from('L'), key]), value, false)).toBe(
      `~ seen entity ${id}`,
    );
  });

  it.each([
    ['seen entity', (key: Uint8Array) => writeLastSeenKey(new RecordWriter(), key).view(), '~'],
    ['sources of entity', (key: Uint8Array) => writeStatementsKey(new RecordWriter(), key).view(), '+'],
  ])('describes a put and a delete of %s by the id', (what, keyOf, sign) => {
    const id = entityId('host', 'web-01');
    const key = keyOf(writeEntityKey(new RecordWriter(), 'host', 'web-01').view());
    const value = new Uint8Array(3);

    expect(describeOperation(key, value, false)).toBe(`${sign} ${what} ${id}`);
    expect(describeOperation(key, value, true)).toBe(`- ${what} ${id}`);
  });

  it.each([
    ['priority of scan', textKey(RECORD_KIND.connector, 'scan')],
    ['sync scan s1', syncReplyKey('scan', 's1')],
    ['write api w1', writeReplyKey('api', 'w1')],
    ['write w1', earlierWriteReplyKey('w1')],
    ['session x', sessionKey('x')],
    ['session x batch 00000007', batchKey('x', 7)],
    ['unknown record of 3 bytes', Uint8Array.of(0)],
  ])('describes a put and a delete of %s', (what, key) => {
    const value = new Uint8Array(3);

    expect(describeOperation(key, value, false)).toBe(`+ ${what}`);
    expect(describeOperation(key, value, true)).toBe(`- ${what}`);
  });

  it('describes operations of a relationship, with the verb as written', () => {
    const ends = { from: { type: 'host', key: 'web-01' }, to: { type: 'service', key: 'nginx' } };
    const key = writeRelationshipKey(new RecordWriter(), { ...ends, verb: 'runs' }).view();
    const prefix = new PrefixEncoder().encode(sampleStamp(), ['api']);
    const content = { verb: 'runs', propertiesJson: encodeProperties({}) };
    const value = writeRelationshipValue(new RecordWriter(), prefix, content).view();
    const id = relationshipId(entityId('host', 'web-01'), 'RUNS', entityId('service', 'nginx'));

    expect(describeOperation(key, value, false)).toBe('+ relationship [runs] web-01 → nginx');
    expect(describeOperation(key, value, true)).toBe(`- relationship ${id}`);
  });
});

function sampleStamp() {
  return {
    connectorId: 'api',
    syncId: '',
    syncedAtMs: 1,
    createdAtMs: 1,
    updatedAtMs: 1,
    lastSeenAtMs: 1,
    deletedAtMs: null,
    version: 1,
  };
}
