import { describe, expect, it } from '@jest/globals';
import { guidText, sidInDomainOf, sidText } from './binary-ids.ts';

const SID = Buffer.from('010500000000000515000000a065cf7e784b9b5fe77c8770091c0100', 'hex');

describe('binary identifiers', () => {
  it('formats a GUID like Windows', () => {
    expect(guidText(Buffer.from('33221100554477668899aabbccddeeff', 'hex'))).toBe(
      '00112233-4455-6677-8899-aabbccddeeff',
    );
    expect(guidText(Buffer.alloc(15))).toBeUndefined();
  });

  it('formats a security identifier, and that of another account of its domain', () => {
    expect(sidText(SID)).toBe('S-1-5-21-2127521184-1604012920-1887927527-72713');
    expect(sidInDomainOf('S-1-5-21-2127521184-1604012920-1887927527-72713', 513)).toBe(
      'S-1-5-21-2127521184-1604012920-1887927527-513',
    );
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['cut short', SID.subarray(0, -1)],
    ['too long', Buffer.concat([SID, Buffer.alloc(4)])],
    ['of another revision', Buffer.concat([Buffer.of(2), SID.subarray(1)])],
  ])('takes no identifier that is %s', (_what, bytes) => {
    expect(sidText(bytes)).toBeUndefined();
  });
});
