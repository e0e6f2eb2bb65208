import { describe, expect, it } from '@jest/globals';
import { Interface } from 'ethers';
import { toHex } from '#load/chain';
import { AddressBook, DEVELOPMENT_ACCOUNTS } from '../plan/account-keys.ts';
import { CallEncoder, callTemplate } from './contract-call.ts';

const POOL = `0x${'ab'.repeat(20)}`;
const SETUP = { contracts: { pool: POOL }, results: { pair: ['5', POOL] } };
const book = await AddressBook.derive(DEVELOPMENT_ACCOUNTS, 10, 4);
const ACCOUNTS = 40;

function argsOf(declaration: string, args: readonly unknown[], position = 0, nonce = 3): readonly unknown[] {
  const template = callTemplate({ contract: 'pool', declaration, args }, SETUP, ACCOUNTS);
  const data = new CallEncoder(structuredClone(template)).dataFor({ book, position, nonce });
  const abi = new Interface([declaration]);
  return abi.decodeFunctionData(declaration.replace('function ', ''), toHex(data)).toArray(true) as unknown[];
}

describe('computed arguments', () => {
  it('are accounts of the partition', () => {
    const to = argsOf(
      'function f(address,address,address)',
      [{ account: 'self' }, { account: 'next' }, { account: 6 }],
      3,
    );

    expect(to.map((address) => String(address).toLowerCase())).toEqual(
      [3, 0, 2].map((at) => toHex(book.at(at))),
    );
  });

  it('are contracts and results of the setup, also within lists and tables', () => {
    const args = [
      [{ contract: 'pool' }, { result: { step: 'pair', index: 1 } }],
      { amount: { result: 'pair' }, who: POOL },
    ];
    const [list, struct] = argsOf('function f(address[],tuple(uint256 amount, address who))', args);

    expect(String(list).toLowerCase()).toBe(`${POOL},${POOL}`);
    expect(String(struct).toLowerCase()).toBe(`5,${POOL}`);
  });

  it('count without repetition over accounts and nonces, and equally when signed again', () => {
    const count = (position: number, nonce: number): unknown =>
      argsOf('function f(uint256)', [{ counter: { start: 1_000, step: 2 } }], position, nonce)[0];
    const places = [0, 1, 2, 3].flatMap((position) => [0, 1, 2].map((nonce) => count(position, nonce)));

    expect(new Set(places).size).toBe(12);
    expect(count(1, 2)).toBe(1_000n + 2n * (2n * BigInt(ACCOUNTS) + 11n));
    expect(count(1, 2)).toBe(count(1, 2));
  });

  it('are drawn within their bounds, up to 256 bits, from account and nonce', () => {
    const most = String(2n ** 256n - 1n);
    const draw = (nonce: number): readonly unknown[] =>
      argsOf(
        'function f(uint256,uint8,bool)',
        [{ random: [0, most] }, { random: [7, 9] }, { list: [true, false] }],
        1,
        nonce,
      );
    const drawn = Array.from({ length: 64 }, (_, nonce) => draw(nonce));

    expect(draw(5)).toEqual(draw(5));
    expect(drawn.some(([large]) => (large as bigint) > 2n ** 250n)).toBe(true);
    expect(new Set(drawn.map(([, small]) => small))).toEqual(new Set([7n, 8n, 9n]));
    expect(new Set(drawn.map(([, , choice]) => choice)).size).toBe(2);
  });

  it('name a contract or a result that the setup lacks', () => {
    expect(() => argsOf('function f(address)', [{ contract: 'other' }])).toThrow('expected a contract other');
    expect(() => argsOf('function f(address)', [{ result: { step: 'pair', index: 2 } }])).toThrow(
      'result 2 of step pair',
    );
  });
});
