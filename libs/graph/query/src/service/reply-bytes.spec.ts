import { describe, expect, it } from '@jest/globals';
import { ReplyBytes } from './reply-bytes.ts';

describe('ReplyBytes', () => {
  it('joins texts and bytes of any size', () => {
    const parts = ['a', 'ä€😀', 'x'.repeat(70_000), 'y'.repeat(300_000), 'z'];
    const bytes = new ReplyBytes();

    for (const part of parts) {
      bytes.writeText(part);
      bytes.writeBytes(Buffer.from(`<${part}>`), 1, 1 + Buffer.byteLength(part));
    }

    expect(bytes.drain().toString('utf8')).toBe(parts.flatMap((part) => [part, part]).join(''));
  });

  it('returns bytes that the next reply does not overwrite', () => {
    const first = new ReplyBytes();
    first.writeText('first');
    const taken = first.drain();

    const second = new ReplyBytes();
    second.writeText('other');

    expect(taken.toString('utf8')).toBe('first');
    expect(second.drain().toString('utf8')).toBe('other');
  });

  it.each([
    ['short ASCII', 'a,b', 'string'],
    ['other text', 'ä€😀,', 'object'],
    ['longer ASCII', 'x'.repeat(20_000), 'object'],
  ])('sends %s whole, and the same when asked again', (_what, text, type) => {
    const bytes = new ReplyBytes();
    bytes.writeText(text);

    const { payload } = bytes;
    new ReplyBytes().writeText('other');

    expect(typeof payload).toBe(type);
    expect(bytes.payload).toBe(payload);
    expect(Buffer.from(payload).toString('utf8')).toBe(text);
    expect(bytes.drain().toString('utf8')).toBe(text);
  });

  it('copies pieces of shared memory', () => {
    const shared = new Uint8Array(new SharedArrayBuffer(16));
    shared.set(Buffer.from('0123456789abcdef'));
    const bytes = new ReplyBytes();

    bytes.writeBytes(shared, 3, 9);
    bytes.writeBytes(shared.subarray(8), 0, 2);

    expect(bytes.drain().toString('utf8')).toBe('34567889');
  });

  it('reuses the memory of a large reply only after it was given back', () => {
    const large = (letter: string): ReplyBytes => {
      const bytes = new ReplyBytes();
      bytes.writeText(letter.repeat(100_000));
      return bytes;
    };
    // Takes the buffers that other tests returned.
    for (let others = 0; others < 4; others++) large('o');
    const first = large('a');
    const taken = first.drain();

    const second = large('b').drain();
    first.giveBack();
    const third = large('c').drain();

    expect(second.buffer).not.toBe(taken.buffer);
    expect(third.buffer).toBe(taken.buffer);
    expect(third.toString('utf8')).toBe('c'.repeat(100_000));
  });
});
