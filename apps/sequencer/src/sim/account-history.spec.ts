import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AccountHistory } from './account.ts';

describe('AccountHistory', () => {
  it('matches a plain list for every kept block', () => {
    const changes = fc
      .uniqueArray(fc.nat(60), { minLength: 1, maxLength: 40 })
      .map((blocks) => blocks.sort((a, b) => a - b));

    fc.assert(
      fc.property(changes, fc.nat(60), (blocks, firstKept) => {
        const history = new AccountHistory();
        for (const block of blocks) history.append(block, BigInt(block) * 10n, block + 1);

        history.forgetBefore(firstKept);

        for (let block = firstKept; block <= 61; block++) {
          const last = blocks.filter((other) => other <= block).at(-1);
          expect(history.balanceAt(block)).toBe(BigInt(last ?? 0) * 10n);
          expect(history.nonceAt(block)).toBe(last === undefined ? 0 : last + 1);
        }
      }),
    );
  });

  it('removes entries that can no longer be queried', () => {
    const history = new AccountHistory();
    for (let block = 0; block < 10; block++) history.append(block, 1n, block);

    history.forgetBefore(7);

    expect(history.length).toBe(3);
  });
});
