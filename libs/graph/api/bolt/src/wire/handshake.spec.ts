import { describe, expect, it } from '@jest/globals';
import { readChoice, readHello } from './handshake.ts';

const hello = (...proposals: readonly string[]): Buffer =>
  Buffer.from(`6060b017${proposals.join('').padEnd(32, '0')}`, 'hex');

describe('readHello', () => {
  it.each([
    ['5.8', ['00080805'], { major: 5, minor: 8 }],
    ['the newest of a range', ['00030905'], { major: 5, minor: 8 }],
    ['the first that is known', ['00000003', '00020404', '00000805'], { major: 4, minor: 4 }],
    ['each minor version', ['00000305'], { major: 5, minor: 3 }],
    ['4.4 of a range', ['00020404'], { major: 4, minor: 4 }],
    ['4.4 of a range above it', ['00020604'], { major: 4, minor: 4 }],
  ])('chooses %s', (_, proposals, version) => {
    expect(readHello(hello(...proposals))).toMatchObject({
      kind: 'agreed',
      version,
      bytes: 20,
      reply: Buffer.from([0, 0, version.minor, version.major]),
    });
  });

  it.each([
    ['none', []],
    ['older versions', ['00000304', '00000003']],
    ['newer versions', ['00000006', '00000905']],
    ['a reserved byte', ['01000805']],
  ])('answers %s with no version', (_, proposals) => {
    expect(readHello(hello(...proposals))).toEqual({ kind: 'refused', reply: Buffer.alloc(4) });
  });

  it('answers nothing to what is no Bolt, as soon as that is clear', () => {
    expect(readHello(Buffer.from('GET / HTTP/1.1'))).toEqual({ kind: 'refused', reply: Buffer.alloc(0) });
    expect(readHello(Buffer.from('61', 'hex'))).toEqual({ kind: 'refused', reply: Buffer.alloc(0) });
    expect(readHello(Buffer.from('6060b0', 'hex'))).toEqual({ kind: 'incomplete' });
    expect(readHello(hello('00080805').subarray(0, 19))).toEqual({ kind: 'incomplete' });
  });

  it('offers a manifest of all versions', () => {
    expect(readHello(hello('000001ff', '00080805'))).toEqual({
      kind: 'manifest',
      bytes: 20,
      reply: Buffer.from('000001ff02000808050000040400', 'hex'),
    });
  });
});

describe('readChoice', () => {
  it.each(['0000080500', '0000000500', '0000040400', '000008058000'])('takes %s', (hex) => {
    const bytes = Buffer.from(hex, 'hex');

    expect(readChoice(Buffer.concat([bytes, Buffer.from('more')]))).toMatchObject({
      kind: 'agreed',
      version: { major: bytes[3], minor: bytes[2] },
      bytes: bytes.length,
      isByManifest: true,
    });
  });

  it.each([
    ['a version that was not offered', '0000090500'],
    ['a range', '0001080500'],
    ['a capability that was not offered', '0000080501'],
    ['capabilities without an end', '00000805ffffffffffffffffffff'],
  ])('refuses %s', (_, hex) => {
    expect(readChoice(Buffer.from(hex, 'hex'))).toEqual({ kind: 'refused', reply: Buffer.alloc(0) });
  });

  it.each(['', '000008', '00000805', '0000080580'])('waits after %j', (hex) => {
    expect(readChoice(Buffer.from(hex, 'hex'))).toEqual({ kind: 'incomplete' });
  });
});
