import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { framed } from '#graph/testing';
import { Dechunker } from './dechunker.ts';

const arbitraryMessage = fc.uint8Array({ minLength: 1, maxLength: 400 }).map((bytes) => Buffer.from(bytes));

/** The messages of a stream that arrives in pieces of this size. */
function received(stream: Buffer, pieceBytes: number, bytesMax = 1_000): readonly Buffer[] {
  const messages: Buffer[] = [];
  const dechunker = new Dechunker(bytesMax, (message) => messages.push(message));
  for (let at = 0; at < stream.length; at += pieceBytes) dechunker.take(stream.subarray(at, at + pieceBytes));
  return messages;
}

describe('Dechunker', () => {
  it('gives the messages that were sent, however they were cut', () => {
    const sizes = fc.integer({ min: 1, max: 100 });
    fc.assert(
      fc.property(fc.array(arbitraryMessage), sizes, sizes, (messages, chunkBytes, pieceBytes) => {
        const noop = Buffer.alloc(2);
        const stream = Buffer.concat(messages.flatMap((each) => [noop, framed(each, chunkBytes)]));

        expect(received(stream, pieceBytes)).toEqual(messages);
      }),
    );
  });

  it('copies what arrives: a later piece in the same memory changes nothing', () => {
    const bytes = framed(Buffer.from('abc'));
    const messages: Buffer[] = [];
    new Dechunker(10, (message) => messages.push(message)).take(bytes);
    bytes.fill(0);

    expect(messages.map(String)).toEqual(['abc']);
  });

  it('refuses a message above its size as soon as a chunk claims it', () => {
    expect(received(framed(Buffer.alloc(1_000), 7), 3)).toHaveLength(1);
    expect(() => received(framed(Buffer.alloc(1_001), 7), 3)).toThrow(
      'expected a message of at most 1000 bytes',
    );
    expect(() => received(Buffer.from([0xff, 0xff]), 2)).toThrow('expected a message of at most 1000 bytes');
  });
});
