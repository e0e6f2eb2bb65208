import { describe, expect, it } from '@jest/globals';
import { computeAddress, hexlify, keccak256, toUtf8Bytes } from 'ethers';
import { toHex } from '#load/chain';
import { Secret } from '#platform/foundation';
import { accountKey, AddressBook } from './account-keys.ts';

const SEED = new Secret('correct horse battery staple');

describe('accounts', () => {
  it('have the keys of the documented derivation', () => {
    const index = Buffer.alloc(4);
    index.writeUInt32BE(4_000_000_000);
    const expected = keccak256(
      Buffer.concat([toUtf8Bytes('correct horse battery staple'), toUtf8Bytes('plexus account'), index]),
    );

    expect(hexlify(accountKey(SEED, 4_000_000_000))).toBe(expected);
  });

  it('have the same addresses as in another library', async () => {
    const book = await AddressBook.derive(SEED, 100, 3);

    const addresses = [0, 1, 2].map((at) => toHex(book.at(at)));

    expect(addresses).toEqual(
      [100, 101, 102].map((n) => computeAddress(hexlify(accountKey(SEED, n))).toLowerCase()),
    );
  });

  it('form a ring within their partition', async () => {
    const book = await AddressBook.derive(SEED, 0, 3);

    expect(toHex(book.next(0))).toBe(toHex(book.at(1)));
    expect(toHex(book.next(2))).toBe(toHex(book.at(0)));
  });

  it('differ from one partition, and from one seed, to the other', async () => {
    const books = await Promise.all([
      AddressBook.derive(SEED, 0, 50),
      AddressBook.derive(SEED, 50, 50),
      AddressBook.derive(new Secret('another'), 0, 100),
    ]);
    const addresses = books.flatMap((book) =>
      Array.from({ length: book.count }, (_, at) => toHex(book.at(at))),
    );

    expect(new Set(addresses).size).toBe(200);
  });
});
