import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Transaction } from 'ethers';
import { toHex } from '#load/chain';
import { AddressBook, DEVELOPMENT_ACCOUNTS } from '#load/worker';
import { Story } from '#testing';
import { AccountScheduler } from '../src/drive/account-scheduler.ts';
import type { MixEntry } from '../src/plan/edge-plan.ts';
import { NO_SETUP } from '../src/plan/contract-setup.ts';
import { blueprintOf, Mix } from '../src/transaction/blueprint.ts';
import { NonceLine } from '../src/transaction/nonce-line.ts';
import type { SignedItem } from '../src/transaction/open-transaction.ts';
import { SigningPool } from '../src/transaction/signing-pool.ts';
import { SigningStock } from '../src/transaction/signing-stock.ts';

const FACTS = { token: null, setup: NO_SETUP, accounts: 1 };

const ACCOUNTS = 3;
const TRANSFERS: readonly MixEntry[] = [{ kind: 'transfer', weight: 1 }];

describe('accounts with a stock of signed transactions', () => {
  let pool: SigningPool;
  let lines: readonly NonceLine[];
  let stock: SigningStock;
  let scheduler: AccountScheduler;
  let signed: Story<number>;

  beforeEach(() => {
    signed = new Story();
  });
  afterEach(() => pool.close());

  const open = async (
    mix: readonly MixEntry[],
    { firstNonce = 0, demand = Infinity, inflightPerAccount = 1 } = {},
  ): Promise<void> => {
    const book = await AddressBook.derive(DEVELOPMENT_ACCOUNTS, 0, ACCOUNTS);
    const setup = {
      accounts: DEVELOPMENT_ACCOUNTS.secret,
      firstAccount: 0,
      addresses: book.bytes,
      chainId: 1,
    };
    const blueprints = mix.map((entry) => ({ ...blueprintOf(entry, FACTS), gasLimit: 21_000n }));
    pool = new SigningPool(setup, 2);
    pool.use(blueprints, { maxFee: 10n, priorityFee: 0n });
    lines = Array.from({ length: ACCOUNTS }, () => new NonceLine(firstNonce));
    stock = new SigningStock({
      pool,
      mix: new Mix(mix, 5),
      blueprints,
      lines,
      depth: 8,
      demand: () => demand,
      onBroken: () => undefined,
    });
    scheduler = new AccountScheduler({ lines, stock, inflightPerAccount });
    stock.listen((position) => signed.record(position));
    await stock.fill(60_000);
  };
  /** Takes the next transaction, which the sequencer includes. */
  const takeAndInclude = async (): Promise<SignedItem> => {
    const item = scheduler.next();
    if (item === undefined) {
      await signed.until(() => true, signed.entries.length + 1);
      return takeAndInclude();
    }
    const { position, nonce, usesNonce } = item.item;
    if (usesNonce) lines[position]?.included(nonce);
    scheduler.answered(position);
    return item;
  };

  it('send in turn, each with its nonces in order', async () => {
    await open(TRANSFERS);

    const taken: SignedItem[] = [];
    while (taken.length < 60) taken.push(await takeAndInclude());

    const order = taken.map(({ item }) => item.position);
    const ofFirst = taken.filter(({ item }) => item.position === 0).map(({ item }) => item.nonce);
    expect(order.slice(0, 6)).toEqual([0, 1, 2, 0, 1, 2]);
    expect(ofFirst).toEqual(ofFirst.map((_, index) => index));
  });

  it('have requests with the transaction of their hash', async () => {
    await open(TRANSFERS, { firstNonce: 40 });

    const { body, hash, id, item } = await takeAndInclude();

    const request = JSON.parse(Buffer.from(body).toString()) as { id: number; params: [string] };
    const transaction = Transaction.from(request.params[0]);
    expect(request.id).toBe(id);
    expect([transaction.nonce, transaction.hash]).toEqual([item.nonce, toHex(hash)]);
    expect(item.nonce).toBe(40);
  });

  it('send at most the permitted number of unanswered transactions', async () => {
    await open(TRANSFERS, { inflightPerAccount: 2 });

    const taken = Array.from({ length: 8 }, () => scheduler.next());

    expect(taken.filter((item) => item !== undefined)).toHaveLength(2 * ACCOUNTS);
    expect(scheduler.shortage).toBe('no_account');
  });

  it('send nothing while their nonces are in doubt, and continue afterwards', async () => {
    await open(TRANSFERS);
    const item = scheduler.next();
    lines[0]?.doubted(0);
    scheduler.answered(0);

    const meanwhile = [scheduler.next(), scheduler.next(), scheduler.next()];
    lines[0]?.included(0);
    scheduler.lineChanged(0);

    expect(item?.item.position).toBe(0);
    expect(meanwhile.map((other) => other?.item.position)).toEqual([1, 2, undefined]);
    expect(scheduler.next()?.item).toMatchObject({ position: 0, nonce: 1 });
  });

  it('sign a freed nonce again, as another transaction', async () => {
    await open(TRANSFERS);
    const first = scheduler.next();
    lines[0]?.rejected(0);
    scheduler.answered(0);
    await signed.until((position) => position === 0, 9);

    const others = [scheduler.next(), scheduler.next(), scheduler.next()];

    const again = others.find((other) => other?.item.position === 0);
    expect(again?.item.nonce).toBe(0);
    expect(toHex(again?.hash ?? new Uint8Array())).not.toBe(toHex(first?.hash ?? new Uint8Array()));
  });

  it('use only a consumed nonce as an invalid one', async () => {
    const mix: readonly MixEntry[] = [...TRANSFERS, { kind: 'invalid_nonce', weight: 1 }];
    await open(mix);

    const taken: SignedItem[] = [];
    while (taken.length < 80) {
      const { item, ...rest } = await takeAndInclude();
      if (!item.usesNonce) expect(item.nonce).toBeLessThan(lines[item.position]?.consumed ?? 0);
      taken.push({ item, ...rest });
    }

    const invalid = taken.filter(({ item }) => !item.usesNonce);
    expect(invalid.length).toBeGreaterThan(20);
    expect(invalid.length).toBeLessThan(60);
    expect(new Set(taken.map(({ hash }) => toHex(hash))).size).toBe(80);
    const valid = taken.filter(({ item }) => item.usesNonce && item.position === 1);
    expect(valid.map(({ item }) => item.nonce)).toEqual(valid.map((_, index) => index));
  });

  it('use a nonce far ahead if the entry expects that failure', async () => {
    const mix: readonly MixEntry[] = [
      ...TRANSFERS,
      { kind: 'invalid_nonce', weight: 1, expect: 'nonce_too_high' },
    ];
    await open(mix);

    const taken: SignedItem[] = [];
    while (taken.length < 40) taken.push(await takeAndInclude());

    const invalid = taken.filter(({ item }) => !item.usesNonce);
    expect(invalid.length).toBeGreaterThan(0);
    expect(invalid.every(({ item }) => item.nonce >= item.before + 1_000)).toBe(true);
  });

  it('have no more signed transactions than will be sent', async () => {
    await open(TRANSFERS, { demand: 0 });

    while (scheduler.next() !== undefined)
      for (const [at, line] of lines.entries()) {
        line.included(line.next - 1);
        scheduler.answered(at);
      }

    expect(signed.entries).toHaveLength(8 * ACCOUNTS);
    expect(scheduler.shortage).toBe('not_signed');
  });

  it('have their transactions signed again after a change of fees', async () => {
    await open(TRANSFERS);
    const before = scheduler.next();
    pool.use([{ ...blueprintOf({ kind: 'transfer', weight: 1 }, FACTS), gasLimit: 21_000n }], {
      maxFee: 99n,
      priorityFee: 0n,
    });

    stock.renew();
    await signed.until(() => true, 2 * 8 * ACCOUNTS - 1);

    const after = scheduler.next();
    expect([before?.fees.maxFee, after?.fees.maxFee]).toEqual([10n, 99n]);
  });
});
