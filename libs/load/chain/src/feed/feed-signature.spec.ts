import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressOf, checksumAddress } from '../crypto/address.ts';
import { curve } from '../crypto/signing-curve.ts';
import { decodeFeedFrame, encodeFeedMessage, type FeedMessage, L2_MESSAGE_KIND } from './feed-frame.ts';
import { feedSignerOf, signFeedMessage } from './feed-signature.ts';
import { skipped } from '#testing';

const DATA = process.env['PLEXUS_TEST_DATA'];
const KEY = new Uint8Array(32).fill(7);
const CHAIN_ID = 412_346;
const MESSAGE: FeedMessage = {
  sequenceNumber: 9,
  kind: L2_MESSAGE_KIND,
  timestamp: 1_700_000_000,
  parentBlockNumber: 5,
  l2Msg: Uint8Array.of(3),
  blockHash: `0x${'ab'.repeat(32)}`,
};
const SIGNER = addressOf(curve.publicKeyOf(KEY).subarray(1));

const readBack = (message: FeedMessage): FeedMessage | undefined =>
  decodeFeedFrame(encodeFeedMessage(message)).messages[0];

describe('feedSignerOf', () => {
  it('returns the signer of an encoded and decoded message', () => {
    const signed = readBack(signFeedMessage(MESSAGE, CHAIN_ID, KEY));

    expect(signed && feedSignerOf(signed, CHAIN_ID)).toEqual(SIGNER);
  });

  it.each<[string, Partial<FeedMessage>]>([
    ['number', { sequenceNumber: 10 }],
    ['kind', { kind: 4 }],
    ['time', { timestamp: 1_700_000_001 }],
    ['parent block', { parentBlockNumber: 6 }],
    ['transactions', { l2Msg: Uint8Array.of(4) }],
    ['block hash', { blockHash: null }],
  ])('does not return the signer after a change of the %s', (_, change) => {
    const signed = signFeedMessage(MESSAGE, CHAIN_ID, KEY);

    expect(feedSignerOf({ ...signed, ...change }, CHAIN_ID)).not.toEqual(SIGNER);
    expect(feedSignerOf(signed, CHAIN_ID + 1)).not.toEqual(SIGNER);
  });

  it('returns undefined for a missing or invalid signature', () => {
    const { seal } = signFeedMessage(MESSAGE, CHAIN_ID, KEY);
    const junk = [new Uint8Array(0), new Uint8Array(65).fill(255), new Uint8Array(64), new Uint8Array(65)];

    expect(feedSignerOf(MESSAGE, CHAIN_ID)).toBeUndefined();
    for (const signature of junk) {
      expect(seal && feedSignerOf({ ...MESSAGE, seal: { ...seal, signature } }, CHAIN_ID)).toBeUndefined();
    }
  });
});

if (DATA === undefined) {
  skipped('signatures of recorded frames', 'PLEXUS_TEST_DATA is not set');
} else {
  const lines = (name: string): string[] =>
    readFileSync(join(DATA, 'feed-samples', name), 'utf8')
      .trim()
      .split('\n');

  it('feedSignerOf returns the expected signers of all recorded frames', () => {
    const expected = lines('frames.expected.jsonl').map((line) => JSON.parse(line) as ExpectedFrame);

    const signers = lines('frames.jsonl').map((line) =>
      decodeFeedFrame(line).messages.map((message) => {
        const signer = feedSignerOf(message, 4_663);
        return signer && checksumAddress(signer);
      }),
    );

    expect(signers.flat().length).toBeGreaterThan(10);
    expect(signers).toEqual(expected.map(({ messages }) => messages.map(({ feedSigner }) => feedSigner)));
  });
}

interface ExpectedFrame {
  readonly messages: readonly { readonly feedSigner: string }[];
}
