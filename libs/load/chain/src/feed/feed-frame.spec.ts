import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DomainError } from '#platform/foundation';
import { checksumAddress } from '../crypto/address.ts';
import { toHex } from '../bytes/hex.ts';
import { senderOf } from '../transaction/sender.ts';
import { decodeFeedFrame, encodeFeedMessage, type FeedMessage, L2_MESSAGE_KIND } from './feed-frame.ts';
import { hashesOf, transactionsOf } from './l2-message.ts';
import { skipped } from '#testing';

const DATA = process.env['PLEXUS_TEST_DATA'];

/** Two transfers between the first two development accounts. The hashes are from ethers. */
const OWN_FRAME = readFileSync(join(import.meta.dirname, '../../test/data/own-frame.json'), 'utf8');
const OWN_HASHES = [
  '0x0cdb3a7dd9b0ef44c8358555c98b4be634f5eddefb62afd862c5e00714150a43',
  '0xf2308b5b0188242c7f4bf64bc34dc0275b0974d67fde9884f6e60bac22ea5378',
];

interface ExpectedFrame {
  readonly confirmed?: number | null;
  readonly messages: readonly {
    readonly sequenceNumber: number;
    readonly txs: readonly { readonly hash: string; readonly from: string; readonly nonce: number }[];
  }[];
}

function readFrame(text: string): ExpectedFrame {
  const frame = decodeFeedFrame(text);
  return {
    confirmed: frame.confirmedSequenceNumber,
    messages: frame.messages.map(({ sequenceNumber, l2Msg }) => ({
      sequenceNumber,
      txs: transactionsOf(l2Msg).map((transaction) => ({
        hash: toHex(transaction.hash),
        from: checksumAddress(senderOf(transaction)),
        nonce: transaction.nonce,
      })),
    })),
  };
}

function essenceOf({ confirmed = null, messages }: ExpectedFrame): ExpectedFrame {
  return {
    confirmed,
    messages: messages.map(({ sequenceNumber, txs }) => ({
      sequenceNumber,
      txs: txs.map(({ hash, from, nonce }) => ({ hash, from, nonce })),
    })),
  };
}

describe('decodeFeedFrame', () => {
  it('reads a frame with two transfers', () => {
    const { messages } = decodeFeedFrame(OWN_FRAME);

    expect(messages.map(({ sequenceNumber, kind, blockHash }) => [sequenceNumber, kind, blockHash])).toEqual([
      [7, L2_MESSAGE_KIND, null],
    ]);
    expect(messages.flatMap(({ l2Msg }) => hashesOf(l2Msg)).map(toHex)).toEqual(OWN_HASHES);
  });

  it('restores any message encoded by encodeFeedMessage', () => {
    const message: fc.Arbitrary<FeedMessage> = fc.record({
      sequenceNumber: fc.maxSafeNat(),
      kind: fc.nat(20),
      timestamp: fc.maxSafeNat(),
      parentBlockNumber: fc.maxSafeNat(),
      l2Msg: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
      blockHash: fc.option(fc.constant(`0x${'ab'.repeat(32)}`)),
    });

    fc.assert(
      fc.property(message, (sent) => {
        const fromSequencer = { isDelayed: false, delayedMessagesRead: 1 };

        expect(decodeFeedFrame(encodeFeedMessage(sent))).toEqual({
          messages: [{ ...sent, ...fromSequencer }],
          confirmedSequenceNumber: null,
        });
      }),
    );
  });

  it('accepts a frame with only a confirmation', () => {
    const frame = decodeFeedFrame('{"version":1,"confirmedSequenceNumberMessage":{"sequenceNumber":5}}');

    expect(frame).toEqual({ messages: [], confirmedSequenceNumber: 5 });
  });

  it('accepts a block hash that is null', () => {
    const text = OWN_FRAME.replace('"sequenceNumber"', '"blockHash":null,"sequenceNumber"');

    expect(decodeFeedFrame(text).messages.map(({ blockHash }) => blockHash)).toEqual([null]);
  });

  it('accepts a missing l2Msg and unknown members', () => {
    const header = { kind: 11, blockNumber: 1, timestamp: 2, more: [] };
    const text = JSON.stringify({
      version: 1,
      more: {},
      messages: [{ sequenceNumber: 1, message: { message: { header } }, blockMetadata: 'AA==' }],
    });

    expect(decodeFeedFrame(text).messages.map(({ l2Msg }) => l2Msg.length)).toEqual([0]);
  });

  it.each([
    ['text that is not JSON', 'hello', /JSON/],
    ['a list', '[]', /an object in frame, got a list/],
    ['another version', '{"version":2}', /version 1, got 2/],
    ['messages that are not a list', '{"version":1,"messages":{}}', /a list in frame\.messages/],
    ['a message that is null', '{"version":1,"messages":[null]}', /messages\[0\], got null/],
    ['a message without content', '{"version":1,"messages":[{}]}', /messages\[0\]\.message, got undefined/],
    [
      'a negative number',
      OWN_FRAME.replace('"sequenceNumber":7', '"sequenceNumber":-7'),
      /whole number in sequenceNumber, got -7/,
    ],
    ['a number as text', OWN_FRAME.replace('"kind":3', '"kind":"3"'), /whole number in kind, got string/],
    [
      'a malformed block hash',
      OWN_FRAME.replace('"sequenceNumber"', '"blockHash":"0xzz","sequenceNumber"'),
      /a hash of 32 bytes in messages\[0\]\.blockHash, got string/,
    ],
    ['l2Msg as a list', OWN_FRAME.replace(/"l2Msg":"[^"]*"/, '"l2Msg":[]'), /base64 .* got a list/],
  ])('rejects %s', (_, text, message) => {
    expect(() => decodeFeedFrame(text)).toThrow(message);
    expect(() => decodeFeedFrame(text)).toThrow(DomainError);
  });

  it('throws nothing but WIRE_FORMAT for any JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.jsonValue(), (text, value) => {
        for (const frame of [text, JSON.stringify({ version: 1, messages: [{ message: value }, value] })]) {
          expect(faultOf(frame)).toMatch(/^(?:none|WIRE_FORMAT)$/);
        }
      }),
      { numRuns: 500 },
    );
  });
});

if (DATA === undefined) {
  skipped('recorded frames', 'PLEXUS_TEST_DATA is not set');
} else {
  const lines = (name: string) =>
    readFileSync(join(DATA, 'feed-samples', name), 'utf8')
      .trim()
      .split('\n');

  it('decodeFeedFrame reads every recorded frame with its hashes, senders and nonces', () => {
    const expected = lines('frames.expected.jsonl').map((line) => JSON.parse(line) as ExpectedFrame);

    expect(lines('frames.jsonl').map(readFrame)).toEqual(expected.map(essenceOf));
  });

  it('decodeFeedFrame reads a recorded frame in the older form', () => {
    const [text = ''] = lines('arb1-25757171-single.json');
    const expected = JSON.parse(lines('arb1-25757171-single.expected.json').join('\n')) as ExpectedFrame;

    expect(readFrame(text)).toEqual(essenceOf(expected));
  });
}

function faultOf(frame: string): string {
  try {
    decodeFeedFrame(frame);
    return 'none';
  } catch (error) {
    return error instanceof DomainError ? error.code : String(error);
  }
}
