import { describe, expect, it } from '@jest/globals';
import { FEED_FLAGS } from '#load/telemetry';
import { judge, run } from '../test/judged-run.ts';
import {
  addressOf,
  GAS_LIMIT,
  GAS_USED,
  hashOf,
  hexAddressOf,
  hexHashOf,
  ScriptedEdge,
  type Sent,
} from '../test/scripted-edge.ts';

describe('a run in which everything holds', () => {
  it('passes all three, to the wei, with whole coverage', () => {
    const { verdicts, told } = judge(run());

    expect(told).toEqual([]);
    expect(verdicts.nonce).toMatchObject({ verdict: 'pass', coverage: { checked: 3, total: 3 }, gaps: [] });
    expect(verdicts.balance).toMatchObject({ verdict: 'pass', coverage: { checked: 3, total: 3 } });
    expect(verdicts.gas).toMatchObject({ verdict: 'pass', coverage: { checked: 4, total: 4 } });
  });

  it('counts a message that was sent again, and one that was reorganised, once', () => {
    const edge = run((chain) => {
      const sent = chain.send(1, 2);
      chain.tellFeed(sent, FEED_FLAGS.duplicate, chain.sequence);
      chain.tellFeed(sent, FEED_FLAGS.reorganisation, chain.sequence);
    });

    expect(judge(edge).words).toEqual(['pass', 'pass', 'pass']);
  });

  it('follows a reorganisation of several messages, though only the first is told as one', () => {
    const edge = run((chain) => {
      const [first, second, third] = [chain.send(0, 1), chain.send(1, 2), chain.send(0, 1)];
      chain.tellFeed(second, FEED_FLAGS.reorganisation, chain.sequence - 2);
      chain.tellFeed(first);
      chain.send(2, 0);
      chain.tellFeed(third);
    });

    expect(judge(edge).words).toEqual(['pass', 'pass', 'pass']);
  });

  it('forgives a feed gap that held nothing of ours', () => {
    expect(judge(run((edge) => edge.tellFeedGap())).words).toEqual(['pass', 'pass', 'pass']);
  });

  it('is inconclusive, not passed, when nothing was sent by nobody', () => {
    const { words } = judge(new ScriptedEdge(0));

    expect(words).toEqual(['inconclusive', 'inconclusive', 'inconclusive']);
  });
});

describe('the nonce check', () => {
  it('names a transaction that the sequencer applied twice', () => {
    const { words, told } = judge(
      run((edge) => {
        const sent = edge.send(1, 2);
        edge.tellFeed(sent);
      }),
    );

    expect(words).toEqual(['fail', 'pass', 'pass']);
    expect(told).toMatchObject([
      { check: 'nonce', kind: 'duplicate', account: hexAddressOf(1), hash: hexHashOf(1, 4), nonce: 4 },
    ]);
  });

  it('names the transaction after a nonce that was skipped', () => {
    const { words, told } = judge(
      run((edge) => {
        edge.nonces[0] = (edge.nonces[0] ?? 0) + 1;
        edge.send(0, 1);
      }),
    );

    expect(words).toEqual(['fail', 'pass', 'pass']);
    expect(told).toMatchObject([
      { kind: 'gap', hash: hexHashOf(0, 6), expected: 'nonce 5', observed: 'nonce 6' },
    ]);
  });

  it('tells a regression from a duplicate', () => {
    const { told } = judge(
      run((edge) => edge.tellFeed({ from: 0, to: 1, nonce: 3, valueWei: 0n, isSuccess: true })),
    );

    expect(told).toMatchObject([{ kind: 'regression', expected: 'nonce 5', observed: 'nonce 3' }]);
  });

  it('does not forgive a duplicate for a reorganisation that came to later numbers only', () => {
    const { words, told } = judge(
      run((edge) => {
        const sent = edge.send(1, 2);
        const later = edge.send(0, 1);
        edge.tellFeed(later, FEED_FLAGS.reorganisation, edge.sequence);
        edge.tellFeed(sent);
      }),
    );

    expect(words).toEqual(['fail', 'pass', 'pass']);
    expect(told).toMatchObject([{ kind: 'duplicate', account: hexAddressOf(1), hash: hexHashOf(1, 4) }]);
  });

  it('cannot tell of an account whose transaction a reorganisation took back for good', () => {
    const { verdicts, told } = judge(
      run((edge) => {
        edge.tellFeed({ from: 1, to: 2, nonce: edge.nonces[1] ?? 0, valueWei: 5n, isSuccess: true });
        edge.tellFeed(
          { from: 2, to: 0, nonce: edge.nonces[2] ?? 0, valueWei: 5n, isSuccess: true },
          FEED_FLAGS.reorganisation,
          edge.sequence,
        );
        edge.tellFeed({ from: 2, to: 0, nonce: edge.nonces[2] ?? 0, valueWei: 5n, isSuccess: true }, 1);
        edge.apply({ from: 2, to: 0, nonce: edge.nonces[2] ?? 0, valueWei: 5n, isSuccess: true });
        edge.tellReceipt({ from: 2, to: 0, nonce: (edge.nonces[2] ?? 0) - 1, valueWei: 5n, isSuccess: true });
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce).toMatchObject({
      verdict: 'inconclusive',
      gaps: [{ reason: 'reorganised', count: 1 }],
    });
  });

  it('finds a nonce in the state that the feed never showed', () => {
    const { words, told } = judge(run((edge) => (edge.nonces[1] = (edge.nonces[1] ?? 0) + 1)));

    expect(words).toEqual(['fail', 'pass', 'pass']);
    expect(told).toMatchObject([{ kind: 'final_count', account: hexAddressOf(1) }]);
  });

  it('cannot tell where the feed dropped a message with a transaction', () => {
    const { verdicts, told } = judge(
      run((edge) => {
        const sent = { from: 0, to: 1, nonce: edge.nonces[0] ?? 0, valueWei: 5n, isSuccess: true };
        edge.apply(sent);
        edge.tellReceipt(sent);
        edge.tellIncluded(sent);
        edge.tellFeedGap();
        edge.send(0, 1);
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce).toMatchObject({
      verdict: 'inconclusive',
      coverage: { checked: 2, total: 3 },
      gaps: [{ reason: 'feed_gap', count: 1 }],
    });
    expect(verdicts.balance.verdict).toBe('pass');
  });

  it('cannot tell where the feed dropped the last message of all, which no other tells of', () => {
    const { verdicts, told } = judge(
      run((edge) => {
        const sent = { from: 0, to: 1, nonce: edge.nonces[0] ?? 0, valueWei: 5n, isSuccess: true };
        edge.apply(sent);
        edge.tellReceipt(sent);
        edge.tellIncluded(sent);
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce).toMatchObject({
      verdict: 'inconclusive',
      gaps: [{ reason: 'feed_gap', count: 1 }],
    });
    expect(verdicts.balance.verdict).toBe('pass');
  });

  it('cannot tell where telemetry was dropped, though that is told later', () => {
    const { verdicts, told } = judge(
      run((edge) => {
        edge.apply({ from: 0, to: 1, nonce: edge.nonces[0] ?? 0, valueWei: 5n, isSuccess: true });
        edge.send(0, 1);
        edge.tellInterval(4);
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'events_dropped', count: 1 }]);
    expect(verdicts.balance.verdict).toBe('inconclusive');
  });

  it('does not excuse the gap of an account that is seen for the first time', () => {
    const edge = new ScriptedEdge(2);
    edge.pin('start');
    edge.nonces[0] = (edge.nonces[0] ?? 0) + 1;
    edge.send(0, 1);
    edge.tellInterval();
    edge.pin('end');

    expect(judge(edge).told).toMatchObject([{ kind: 'gap', expected: 'nonce 3', observed: 'nonce 4' }]);
  });

  it('reads a message that comes late under its own number, and finds in it what came before', () => {
    const late = (between: (edge: ScriptedEdge, sent: Sent) => void) =>
      judge(
        run((edge) => {
          const sent = { from: 0, to: 1, nonce: edge.nonces[0] ?? 0, valueWei: 5n, isSuccess: true };
          edge.apply(sent);
          edge.tellReceipt(sent);
          edge.tellIncluded(sent);
          edge.tellFeedGap();
          const missing = edge.sequence - 1;
          edge.send(0, 1);
          between(edge, { ...sent, nonce: sent.nonce });
          const { sequence } = edge;
          edge.tellFeed(sent, FEED_FLAGS.late, missing);
          edge.tellFeedAgainAt(sequence);
        }),
      );

    expect(late(() => undefined).words).toEqual(['pass', 'pass', 'pass']);
    expect(late((edge, sent) => edge.tellFeed(sent, FEED_FLAGS.late, 1)).told).toMatchObject([
      { kind: 'regression' },
    ]);
  });
});

describe('the nonce check without a feed', () => {
  function withoutFeed(edge: ScriptedEdge) {
    const kept = edge.batches.filter(([batch]) => batch?.table !== 'feed');
    edge.batches.splice(0, edge.batches.length, ...kept);
    return judge(edge, { hasFeed: false });
  }

  it('reads the order of blocks', () => {
    const { verdicts, words } = withoutFeed(run());

    expect(words).toEqual(['pass', 'pass', 'pass']);
    expect(verdicts.nonce).toMatchObject({ coverage: { checked: 3, total: 3 }, gaps: [] });
  });

  it('finds what was executed twice, out of order, and not at all', () => {
    const twice = withoutFeed(run((edge) => edge.tellReceipt(edge.send(1, 2))));
    const skipped = withoutFeed(
      run((edge) => {
        edge.nonces[1] = (edge.nonces[1] ?? 0) + 1;
      }),
    );
    const unordered = withoutFeed(
      run((edge) => {
        const sent = { from: 1, to: 2, valueWei: 5n, isSuccess: true };
        const nonce = edge.nonces[1] ?? 0;
        for (const one of [nonce + 1, nonce]) {
          edge.apply({ ...sent, nonce: one });
          edge.tellReceipt({ ...sent, nonce: one });
        }
      }),
    );

    expect(twice.told[0]).toMatchObject({ check: 'nonce', kind: 'executed_twice', hash: hexHashOf(1, 4) });
    expect(skipped.told).toMatchObject([{ kind: 'final_count', account: hexAddressOf(1) }]);
    expect(unordered.told).toMatchObject([{ kind: 'regression', account: hexAddressOf(1), nonce: 4 }]);
  });

  it('finds a nonce that blocks left out', () => {
    const { told } = withoutFeed(
      run((edge) => {
        edge.nonces[1] = (edge.nonces[1] ?? 0) + 1;
        edge.send(1, 2);
      }),
    );

    expect(told).toMatchObject([{ check: 'nonce', kind: 'gap', account: hexAddressOf(1) }]);
  });

  it('says that it does not know of accounts that somebody else uses too', () => {
    const { told, verdicts } = withoutFeed(
      run((edge) => {
        edge.nonces[1] = (edge.nonces[1] ?? 0) + 1;
        edge.tellFinding('foreign', { account: addressOf(1) });
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'foreign_transactions', count: 1 }]);
  });

  it('says that it does not know where a receipt could not be read', () => {
    const { told, verdicts } = withoutFeed(
      run((edge) => {
        edge.nonces[1] = (edge.nonces[1] ?? 0) + 1;
        edge.tellFinding('malformed_receipt', { account: addressOf(1) });
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'malformed_receipt', count: 1 }]);
  });
});

describe('a feed that was to be read and stays silent', () => {
  it('is named as that', () => {
    const edge = run();
    const kept = edge.batches.filter(([batch]) => batch?.table !== 'feed');
    edge.batches.splice(0, edge.batches.length, ...kept);

    expect(judge(edge).verdicts.nonce.gaps).toEqual([{ reason: 'feed_silent', count: 3 }]);
  });
});

describe('who else uses the accounts', () => {
  it('makes them inconclusive, both ends, and fails nothing', () => {
    const { told, verdicts } = judge(
      run((edge) => {
        const foreign = { from: 0, to: 1, nonce: edge.nonces[0] ?? 0, valueWei: 9n, isSuccess: true };
        edge.apply(foreign);
        edge.tellFinding('foreign', {
          account: addressOf(0),
          receiver: addressOf(1),
          nonce: foreign.nonce,
          hash: hashOf(0, foreign.nonce),
        });
        edge.send(0, 1);
        edge.tellInterval();
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'foreign_transactions', count: 2 }]);
    expect(verdicts.balance.gaps).toEqual([{ reason: 'foreign_transactions', count: 2 }]);
  });

  it('is waited for, as blocks tell of it later than the feed of what follows', () => {
    const { told } = judge(
      run((edge) => {
        const foreign = { from: 0, to: 1, nonce: edge.nonces[0] ?? 0, valueWei: 9n, isSuccess: true };
        edge.apply(foreign);
        const sent = { ...foreign, nonce: foreign.nonce + 1, valueWei: 5n };
        edge.apply(sent);
        edge.tellFeed(sent);
        edge.tellInterval();
        edge.tellFinding('foreign', { account: addressOf(0), receiver: addressOf(1) });
        edge.tellReceipt(sent);
      }),
    );

    expect(told).toEqual([]);
  });
});

describe('a reorganisation of the chain', () => {
  it('takes receipts back, and follows the transactions to their new place', () => {
    const { words } = judge(
      run((edge) => {
        const sent = edge.send(1, 2);
        edge.tellReceipt(sent, undefined, { is_withdrawn: true });
        edge.tellFinding('block_replaced');
        edge.tellReceipt(sent);
      }),
    );

    expect(words).toEqual(['pass', 'pass', 'pass']);
  });

  it('fails nothing where a transaction is gone for good', () => {
    const { told, verdicts } = judge(
      run((edge) => {
        const sent = { from: 1, to: 2, nonce: edge.nonces[1] ?? 0, valueWei: 5n, isSuccess: true };
        edge.tellFeed(sent);
        edge.tellReceipt(sent);
        edge.tellReceipt(sent, undefined, { is_withdrawn: true });
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'reorganised', count: 1 }]);
    expect(verdicts.balance.gaps).toEqual([{ reason: 'missing_receipts', count: 1 }]);
  });

  it('excuses the account whose nonces it leaves a hole in, and no other', () => {
    const { told, verdicts } = judge(
      run((edge) => {
        const gone = edge.send(1, 2);
        edge.send(1, 2);
        edge.tellReceipt(gone, undefined, { is_withdrawn: true });
        const moved = edge.send(0, 2);
        edge.tellReceipt(moved, undefined, { is_withdrawn: true });
        edge.tellReceipt(moved);
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'reorganised', count: 1 }]);
    expect(verdicts.balance.gaps).toContainEqual({ reason: 'reorganised', count: 1 });
  });

  it('accuses nobody of what stood in a block that was replaced before it was read', () => {
    const { told, verdicts } = judge(
      run((edge) => {
        const gone = { from: 1, to: 2, nonce: edge.nonces[1] ?? 0, valueWei: 5n, isSuccess: true };
        edge.tellFeed(gone);
        edge.tellFinding('block_replaced', { block_number: 7 });
        edge.send(1, 2);
        edge.tellFeed({ ...gone, from: 0, nonce: edge.nonces[0] ?? 0 });
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'reorganised', count: 2 }]);
  });

  it('leaves the nonces undecided where the feed told a block hash that stands no more', () => {
    const { told, words, verdicts } = judge(
      run((edge) => {
        const gone = { from: 1, to: 2, nonce: edge.nonces[1] ?? 0, valueWei: 5n, isSuccess: true };
        edge.send(1, 2);
        edge.tellFinding('feed_unconfirmed', { block_number: 7, expected: '0x01', observed: '0x02' });
        edge.tellFeed(gone);
      }),
    );

    expect(told).toEqual([]);
    expect(words).toEqual(['inconclusive', 'pass', 'pass']);
    expect(verdicts.nonce.gaps.map(({ reason }) => reason)).toContain('feed_unconfirmed');
  });

  it('says nothing by a method that the RPC lacks', () => {
    const { words } = judge(run((edge) => edge.tellFinding('method_missing', { observed: 'no such' })));

    expect(words).toEqual(['pass', 'pass', 'pass']);
  });

  it('from before what the edge remembers makes everything inconclusive', () => {
    const { words } = judge(run((edge) => edge.tellFinding('deep_reorganisation')));

    expect(words).toEqual(['inconclusive', 'inconclusive', 'pass']);
  });
});

describe('what an edge finds', () => {
  it('leaves nonces inconclusive that a feed shows and blocks do not confirm', () => {
    const { verdicts, words } = judge(run((edge) => edge.tellFinding('feed_unconfirmed')));

    expect(words).toEqual(['inconclusive', 'pass', 'pass']);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'feed_unconfirmed', count: 3 }]);
  });

  it('leaves nonces and balances inconclusive where blocks were not read', () => {
    const { verdicts, words } = judge(run((edge) => edge.tellFinding('blocks_unread')));

    expect(words.slice(0, 2)).toEqual(['inconclusive', 'inconclusive']);
    expect(verdicts.balance.gaps).toEqual([{ reason: 'blocks_unread', count: 3 }]);
  });

  it.each([
    ['nonce', 'executed_twice'],
    ['nonce', 'feed_block_hash'],
    ['nonce', 'feed_not_in_block'],
    ['nonce', 'feed_omitted'],
    ['nonce', 'feed_order'],
    ['nonce', 'feed_signature'],
    ['gas', 'block_gas_sum'],
    ['gas', 'cumulative_gas'],
    ['gas', 'receipt_place'],
    ['gas', 'receipt_count'],
    ['gas', 'contract_address'],
  ] as const)('fails the check of %s for %s, once for all edges', (check, kind) => {
    const { told, verdicts } = judge(
      run((edge) => {
        edge.tellFinding(kind, { block_number: 7, expected: 'this', observed: 'that' });
        edge.tellFinding(kind, { block_number: 7, expected: 'this', observed: 'that' });
      }),
    );

    expect(told).toMatchObject([{ check, kind, blockNumber: 7, expected: 'this', observed: 'that' }]);
    expect(verdicts[check].verdict).toBe('fail');
  });
});

describe('units of the token', () => {
  function transfer(endUnits: readonly (bigint | null)[]) {
    const edge = run((chain) => {
      const sent = { from: 0, to: -1, nonce: chain.nonces[0] ?? 0, valueWei: 0n, isSuccess: true };
      chain.apply(sent);
      chain.tellFeed(sent);
      chain.tellIncluded(sent);
      const token = { to: addressOf(77), token_to: addressOf(1), token_units: 5n };
      chain.tellReceipt({ ...sent, kind: 'erc20_transfer' }, undefined, token);
    });
    edge.tellUnits([100n, 100n, 100n], endUnits);
    return judge(edge);
  }

  it('are read back, to the last one', () => {
    expect(transfer([95n, 105n, 100n]).words).toEqual(['pass', 'pass', 'pass']);
    expect(transfer([95n, 104n, 100n]).told).toMatchObject([
      { check: 'balance', kind: 'token_debited', expected: '105 units', observed: '104 units' },
    ]);
    expect(transfer([null, null, null]).verdicts.balance.gaps).toEqual([
      { reason: 'token_unread', count: 2 },
    ]);
  });
});

describe('the price of gas', () => {
  const TIP = { tip_wei: 7n, base_fee_wei: 100n };
  function priced(prices: readonly bigint[], tips: 'paid' | 'dropped' | 'auto', more: object = TIP) {
    const edge = run((chain) => {
      for (const price of prices) {
        const sent = { from: 1, to: 2, nonce: chain.nonces[1] ?? 0, valueWei: 0n, isSuccess: true };
        chain.nonces[1] = sent.nonce + 1;
        chain.credit(1, -BigInt(GAS_USED) * price);
        chain.tellFeed(sent);
        chain.tellIncluded(sent);
        chain.tellReceipt(sent, undefined, { effective_gas_price: price, ...more });
      }
    });
    return judge(edge, { tips }).told.map(
      ({ kind, expected, observed }) => `${kind} ${expected} ${observed}`,
    );
  }

  it('is the base fee exactly, without a tip', () => {
    const untipped = { tip_wei: 0n, base_fee_wei: 100n };

    expect(priced([100n], 'auto', untipped)).toEqual([]);
    expect(priced([0n, 99n, 101n], 'auto', untipped)).toEqual(
      [0, 99, 101].map((price) => `price_wrong wei a unit = 100 wei a unit ${price}`),
    );
    expect(priced([800n], 'auto', untipped)).toEqual(['price_over_cap wei a unit ≤ 300 wei a unit 800']);
  });

  it('has the tip on it where tips are paid, up to the cap', () => {
    expect(priced([107n], 'paid')).toEqual([]);
    expect(priced([100n], 'paid')).toHaveLength(1);
    expect(priced([300n], 'paid', { tip_wei: 250n, base_fee_wei: 100n })).toEqual([]);
    expect(priced([100n], 'dropped')).toEqual([]);
    expect(priced([107n], 'dropped')).toHaveLength(1);
  });

  it('holds all receipts to what the first ones show', () => {
    expect(priced([107n, 107n], 'auto')).toEqual([]);
    expect(priced([100n, 100n], 'auto')).toEqual([]);
    expect(priced([107n, 100n], 'auto')).toHaveLength(1);
    expect(priced([100n, 107n], 'auto')).toHaveLength(1);
    expect(priced([103n], 'auto')).toHaveLength(1);
  });

  it('cannot be told where a block tells no base fee', () => {
    const edge = run((chain) => {
      const sent = chain.send(1, 2);
      chain.batches.splice(-2, 1);
      chain.tellReceipt(sent, undefined, { base_fee_wei: null });
    });

    expect(judge(edge).verdicts.gas).toMatchObject({
      verdict: 'inconclusive',
      gaps: [{ reason: 'base_fee_unknown', count: 1 }],
    });
  });
});

describe('the balance check', () => {
  it.each([
    ['credited', 1n],
    ['debited', -1n],
  ])('finds one wei that was %s outside any transaction', (kind, wei) => {
    const { words, told } = judge(run((edge) => edge.credit(2, wei)));

    expect(words).toEqual(['pass', 'fail', 'pass']);
    expect(told).toMatchObject([{ check: 'balance', kind, account: hexAddressOf(2) }]);
  });

  it('neither holds nor breaks where a receipt is missing', () => {
    const { verdicts, told } = judge(
      run((edge) => {
        const sent = { from: 0, to: 1, nonce: edge.nonces[0] ?? 0, valueWei: 5n, isSuccess: true };
        edge.apply(sent);
        edge.tellFeed(sent);
        edge.tellIncluded(sent);
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.balance).toMatchObject({ verdict: 'inconclusive', coverage: { checked: 1, total: 3 } });
    expect(verdicts.gas).toMatchObject({ verdict: 'inconclusive', coverage: { checked: 4, total: 5 } });
    expect(verdicts.nonce.verdict).toBe('pass');
  });

  it('is inconclusive for kinds whose value flow is not known', () => {
    const { verdicts } = judge(run((edge) => edge.send(0, 1, { kind: 'swap' })));

    expect(verdicts.balance.gaps).toEqual([{ reason: 'unknown_value_flow', count: 2 }]);
  });
});

describe('the gas check', () => {
  it('names a receipt that used more than its limit', () => {
    const { words, told } = judge(
      run((edge) => {
        const sent = { from: 1, to: 2, nonce: edge.nonces[1] ?? 0, valueWei: 0n, isSuccess: true };
        edge.nonces[1] = sent.nonce + 1;
        edge.credit(1, -BigInt(GAS_LIMIT + 1) * 100n);
        edge.tellFeed(sent);
        edge.tellReceipt(sent, GAS_LIMIT + 1);
        edge.tellIncluded(sent);
      }),
    );

    expect(words).toEqual(['pass', 'pass', 'fail']);
    expect(told).toMatchObject([
      { check: 'gas', kind: 'gas_over_limit', hash: hexHashOf(1, 4), expected: `gas ≤ ${GAS_LIMIT}` },
    ]);
  });
});

describe('transactions that still wait at the target', () => {
  it.each([0, 1, 2])('leave the nonces of their account %d undecided', (account) => {
    const { verdicts, words, seen } = judge(
      run((edge) => edge.tellPending({ from: account, nonce: edge.nonces[account] ?? 0 })),
    );

    expect(words).toEqual(['inconclusive', 'pass', 'pass']);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'pending_transactions', count: 1 }]);
    expect(seen).toEqual({ sent: 5, notSent: 0, included: 4, rejected: 0 });
  });

  it('accuse nobody where the feed has shown them already', () => {
    const { words, verdicts } = judge(
      run((edge) => {
        const sent = { from: 1, to: 2, nonce: edge.nonces[1] ?? 0, valueWei: 0n, isSuccess: true };
        edge.tellFeed(sent);
        edge.tellPending(sent);
      }),
    );

    expect(words).toEqual(['inconclusive', 'inconclusive', 'pass']);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'pending_transactions', count: 1 }]);
  });

  it('of nobody known leave nothing undecided', () => {
    const { words } = judge(run((edge) => edge.tellPending({ from: 9, nonce: 0 })));

    expect(words).toEqual(['pass', 'pass', 'pass']);
  });
});

describe('a run whose edge counts more than its rows tell', () => {
  it('has receipts that nobody checked', () => {
    const { verdicts } = judge(run(), { includedCount: 6 });

    expect(verdicts.gas).toMatchObject({
      verdict: 'inconclusive',
      coverage: { checked: 4, total: 6 },
      gaps: [{ reason: 'missing_receipts', count: 2 }],
    });
  });

  it.each([
    ['telemetry was dropped', (edge: ScriptedEdge) => edge.tellInterval(4), 'events_dropped'],
    [
      'a receipt could not be read',
      (edge: ScriptedEdge) => edge.tellFinding('malformed_receipt', { account: addressOf(1) }),
      'malformed_receipt',
    ],
  ] as const)('has receipts that nobody checked because %s', (_, between, reason) => {
    const { verdicts } = judge(run(between), { includedCount: 6 });

    expect(verdicts.gas.gaps).toEqual([{ reason, count: 2 }]);
  });

  it('has nonces that nobody saw in blocks because telemetry was dropped', () => {
    const edge = run((chain) => {
      chain.apply({ from: 0, to: 1, nonce: chain.nonces[0] ?? 0, valueWei: 5n, isSuccess: true });
      chain.tellInterval(4);
    });

    const { verdicts, told } = judge(edge, { hasFeed: false });

    expect(told).toEqual([]);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'events_dropped', count: 1 }]);
  });

  it('tells what its rows show, an inclusion by its receipt too', () => {
    const edge = run((chain) => {
      chain.tellReceipt({ from: 0, to: 1, nonce: 9, valueWei: 0n, isSuccess: true });
    });

    expect(judge(edge).seen).toEqual({ sent: 5, notSent: 0, included: 5, rejected: 0 });
  });
});

describe('an edge that is lost', () => {
  it('makes its accounts inconclusive', () => {
    const edge = run();
    edge.batches.pop();

    const { verdicts } = judge(edge, { isLost: true });

    expect(verdicts.nonce.gaps).toEqual([{ reason: 'edge_lost', count: 3 }]);
    expect(verdicts.balance.gaps).toEqual([{ reason: 'edge_lost', count: 3 }]);
    expect(verdicts.gas.verdict).toBe('pass');
  });

  it('leaves gas open unless each receipt of what it saw included was checked', () => {
    const { verdicts } = judge(run(), { isLost: true, includedCount: 7 });

    expect(verdicts.gas).toMatchObject({
      verdict: 'inconclusive',
      coverage: { checked: 4, total: 7 },
      gaps: [{ reason: 'edge_lost', count: 3 }],
    });
  });

  it('has no gap of nonces called a violation, as what it dropped was never told', () => {
    const edge = new ScriptedEdge(3);
    edge.pin('start');
    edge.send(0, 1);
    edge.apply({ from: 0, to: 1, nonce: edge.nonces[0] ?? 0, valueWei: 5n, isSuccess: true });
    edge.send(0, 1);

    const { told, words } = judge(edge, { isLost: true });

    expect(told).toEqual([]);
    expect(words).toEqual(['inconclusive', 'inconclusive', 'pass']);
  });

  it('that said nothing counts with all accounts it was given', () => {
    const gapsOf = (isLost: boolean) =>
      Object.values(judge(new ScriptedEdge(0), { accounts: 50, isLost }).verdicts).map(({ gaps }) => gaps);
    const { verdicts } = judge(new ScriptedEdge(0), { accounts: 50, isLost: true });

    expect(verdicts.balance).toMatchObject({ coverage: { checked: 0, total: 50 }, verdict: 'inconclusive' });
    expect(gapsOf(true)).toEqual([
      [{ reason: 'edge_lost', count: 50 }],
      [{ reason: 'edge_lost', count: 50 }],
      [],
    ]);
    expect(gapsOf(false)).toEqual([
      [{ reason: 'no_start_balance', count: 50 }],
      [{ reason: 'no_start_balance', count: 50 }],
      [],
    ]);
  });
});
