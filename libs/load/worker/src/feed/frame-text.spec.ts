import { describe, expect, it } from '@jest/globals';
import { textOfFrame } from './feed-client.ts';

const MESSAGE = `{"sequenceNumber":1,"message":{"message":{"header":{"kind":3},"l2Msg":"${'A'.repeat(300)}"}}}`;

describe('the text of a frame', () => {
  it('is equal for all fragmentations of the bytes', () => {
    const bytes = Buffer.from('{"version":1,"é":0}');

    const texts = [bytes, [bytes.subarray(0, 3), bytes.subarray(3)], new Uint8Array(bytes).buffer].map(
      textOfFrame,
    );

    expect(new Set(texts)).toEqual(new Set(['{"version":1,"é":0}']));
  });

  it('accepts megabytes of messages', () => {
    const text = `{"version":1,"messages":[${Array.from({ length: 5_000 }, () => MESSAGE).join(',')}]}`;

    expect(textOfFrame(Buffer.from(text))).toBe(text);
  });

  it('rejects a large frame of mostly brackets', () => {
    const text = `{"version":1,"messages":[${'[],'.repeat(400_000)}`;

    expect(() => textOfFrame(Buffer.from(text))).toThrow(
      expect.objectContaining({ code: 'WIRE_FORMAT', message: expect.stringContaining('of brackets') }),
    );
  });
});
