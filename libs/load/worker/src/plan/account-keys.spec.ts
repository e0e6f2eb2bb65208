import { describe, expect, it } from '@jest/globals';
import { computeAddress, HDNodeWallet, hexlify, keccak256, toUtf8Bytes } from 'ethers';
import { toHex } from '#load/chain';
import { Secret } from '#platform/foundation';
import { AccountKeys, AddressBook } from './account-keys.ts';

const ACCOUNTS = AccountKeys.ofSeed(new Secret('correct horse battery staple'));

describe('accounts', () => {
  it('have the keys of the documented derivation', () => {
    const index = Buffer.alloc(4);
    index.writeUInt32BE(4_000_000_000);
    const expected = keccak256(
      Buffer.concat([toUtf8Bytes('correct horse battery staple'), toUtf8Bytes('plexus account'), index]),
    );

    expect(hexlify(ACCOUNTS.keyOf(4_000_000_000))).toBe(expected);
  });

  it('have the same addresses as in another library', async () => {
    const book = await AddressBook.derive(ACCOUNTS, 100, 3);

    const addresses = [0, 1, 2].map((at) => toHex(book.at(at)));

    expect(addresses).toEqual(
      [100, 101, 102].map((n) => computeAddress(hexlify(ACCOUNTS.keyOf(n))).toLowerCase()),
    );
  });

  it('form a ring within their partition', async () => {
    const book = await AddressBook.derive(ACCOUNTS, 0, 3);

    expect(toHex(book.next(0))).toBe(toHex(book.at(1)));
    expect(toHex(book.next(2))).toBe(toHex(book.at(0)));
  });

  it('differ from one partition, and from one seed, to the other', async () => {
    const books = await Promise.all([
      AddressBook.derive(ACCOUNTS, 0, 50),
      AddressBook.derive(ACCOUNTS, 50, 50),
      AddressBook.derive(AccountKeys.ofSeed(new Secret('another')), 0, 100),
    ]);
    const addresses = books.flatMap((book) =>
      Array.from({ length: book.count }, (_, at) => toHex(book.at(at))),
    );

    expect(new Set(addresses).size).toBe(200);
  });
});

const MNEMONIC = 'test test test test test test test test test test test junk';
const KEY = `0x${'1'.repeat(64)}`;

describe('accounts of a mnemonic', () => {
  it('are those of wallets', () => {
    const keys = new AccountKeys({ kind: 'mnemonic', text: ` ${MNEMONIC.replace(' ', '\n ')} ` });

    expect([0, 1, 7].map((at) => hexlify(keys.keyOf(at)))).toEqual(
      [0, 1, 7].map((at) => HDNodeWallet.fromPhrase(MNEMONIC, '', `m/44'/60'/0'/0/${at}`).privateKey),
    );
  });

  it('are the same with capitals', () => {
    const keys = new AccountKeys({ kind: 'mnemonic', text: MNEMONIC.toUpperCase() });

    expect(hexlify(keys.keyOf(0))).toBe(HDNodeWallet.fromPhrase(MNEMONIC, '', "m/44'/60'/0'/0/0").privateKey);
  });

  it.each([
    ['', 'got 1 word'],
    ['test', 'got 1 word'],
    [`${MNEMONIC} junk`, 'got 13 words'],
    [
      MNEMONIC.replace('junk', 'test'),
      'the checksum does not match, a word is another one or at another place',
    ],
    [MNEMONIC.replace('junk', 's3cret'), 'word 12 is not in the list of words'],
  ])('are refused without the text: %j', (text, fault) => {
    const make = (): AccountKeys => new AccountKeys({ kind: 'mnemonic', text });

    expect(make).toThrow(`expected a mnemonic of 12 to 24 English words (BIP-39): ${fault}`);
    expect(make).not.toThrow(/s3cret|junk/);
  });
});

describe('accounts of a list of keys', () => {
  it('are these, separated by blanks, lines or commas', () => {
    const keys = new AccountKeys({ kind: 'keys', text: ` ${KEY},\n${'2'.repeat(64)}\t` });

    expect([keys.countMax, hexlify(keys.keyOf(0)), hexlify(keys.keyOf(1))]).toEqual([
      2,
      KEY,
      `0x${'2'.repeat(64)}`,
    ]);
  });

  it.each([
    [`${KEY} 0x1234`, 'key 2 of the list: expected a private key of 64 hexadecimal digits'],
    ['0'.repeat(64), 'key 1 of the list: expected a private key of 64 hexadecimal digits'],
    [`${KEY} ${'2'.repeat(64)} ${KEY.slice(2)}`, 'keys 1 and 3 of the list are the same'],
  ])('are refused by their place, without the text: %s', (text, message) => {
    expect(() => new AccountKeys({ kind: 'keys', text })).toThrow(message);
  });
});
