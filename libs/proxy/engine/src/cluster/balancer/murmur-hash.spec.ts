import { expect, it } from '@jest/globals';
import { murmurHash } from './ring-hash.ts';

it.each([
  ['', 0, 0],
  ['', 1, 0x514e28b7],
  ['a', 0x9747b28c, 0x7fa09ea6],
  ['aa', 0x9747b28c, 0x5d211726],
  ['aaa', 0x9747b28c, 0x283e0130],
  ['aaaa', 0x9747b28c, 0x5a97808a],
  ['Hello, world!', 0x9747b28c, 0x24884cba],
  ['ππππππππ', 0x9747b28c, 0xd58063c1],
  ['a'.repeat(256), 0x9747b28c, 0x37405bdc],
])('hashes %j with seed %d as the reference does', (text, seed, hash) => {
  expect(murmurHash(text, seed)).toBe(hash);
});

it('accepts texts of any length', () => {
  expect(murmurHash('x'.repeat(100_000))).not.toBe(murmurHash('x'.repeat(100_001)));
});
