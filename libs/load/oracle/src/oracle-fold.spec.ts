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

describe('a run without violations', () => {
  it('passes all three checks with full coverage', () => {
    const { verdicts, told } = judge(run());

    expect(told).toEqual([]);
    expect(verdicts.nonce).toMatchObject({ verdict: 'pass', coverage: { checked: 3, total: 3 }, gaps: [] });
    expect(verdicts.balance).toMatchObject({ verdict: 'pass', coverage: { checked: 3, total: 3 } });
    expect(verdicts.gas).toMatchObject({ verdict: 'pass', coverage: { checked: 4, total: 4 } });
  });

  it('counts a repeated and a reorganised message once', () => {
    const edge = run((chain) => {
      const sent = chain.send(1, 2);
      chain.recordFeed(sent, FEED_FLAGS.duplicate, chain.sequence);
      chain.recordFeed(sent, FEED_FLAGS.reorganisation, chain.sequence);
    });

    expect(judge(edge).words).toEqual(['pass', 'pass', 'pass']);
  });

  it('follows a reorganisation of several messages, of which only the first is marked', () => {
    const edge = run((chain) => {
      const [first, second, third] = [chain.send(0, 1), chain.send(1, 2), chain.send(0, 1)];
      chain.recordFeed(second, FEED_FLAGS.reorganisation, chain.sequence - 2);
      chain.recordFeed(first);
      chain.send(2, 0);
      chain.recordFeed(third);
    });

    expect(judge(edge).words).toEqual(['pass', 'pass', 'pass']);
  });

  it('accepts a feed gap without transactions of the run', () => {
    expect(judge(run((edge) => edge.recordFeedGap())).words).toEqual(['pass', 'pass', 'pass']);
  });

  it('is inconclusive if no account sent anything', () => {
    const { words } = judge(new ScriptedEdge(0));

    expect(words).toEqual(['inconclusive', 'inconclusive', 'inconclusive']);
  });
});

describe('the nonce check', () => {
  it('reports a transaction that the sequencer applied twice', () => {
    const { words, told } = judge(
      run((edge) => {
        const sent = edge.send(1, 2);
        edge.recordFeed(sent);
      }),
    );

    expect(words).toEqual(['fail', 'pass', 'pass']);
    expect(told).toMatchObject([
      { check: 'nonce', kind: 'duplicate', account: hexAddressOf(1), hash: hexHashOf(1, 4), nonce: 4 },
    ]);
  });

  it('reports the transaction after a skipped nonce', () => {
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

  it('distinguishes a regression from a duplicate', () => {
    const { told } = judge(
      run((edge) => edge.recordFeed({ from: 0, to: 1, nonce: 3, valueWei: 0n, isSuccess: true })),
    );

    expect(told).toMatchObject([{ kind: 'regression', expected: 'nonce 5', observed: 'nonce 3' }]);
  });

  it('reports a duplicate despite a reorganisation of later sequence numbers', () => {
    const { words, told } = judge(
      run((edge) => {
        const sent = edge.send(1, 2);
        const later = edge.send(0, 1);
        edge.recordFeed(later, FEED_FLAGS.reorganisation, edge.sequence);
        edge.recordFeed(sent);
      }),
    );

    expect(words).toEqual(['fail', 'pass', 'pass']);
    expect(told).toMatchObject([{ kind: 'duplicate', account: hexAddressOf(1), hash: hexHashOf(1, 4) }]);
  });

  it('is undecided for an account whose transaction was removed by a reorganisation', () => {
    const { verdicts, told } = judge(
      run((edge) => {
        edge.recordFeed({ from: 1, to: 2, nonce: edge.nonces[1] ?? 0, valueWei: 5n, isSuccess: true });
        edge.recordFeed(
          { from: 2, to: 0, nonce: edge.nonces[2] ?? 0, valueWei: 5n, isSuccess: true },
          FEED_FLAGS.reorganisation,
          edge.sequence,
        );
        edge.recordFeed({ from: 2, to: 0, nonce: edge.nonces[2] ?? 0, valueWei: 5n, isSuccess: true }, 1);
        edge.apply({ from: 2, to: 0, nonce: edge.nonces[2] ?? 0, valueWei: 5n, isSuccess: true });
        edge.recordReceipt({
          from: 2,
          to: 0,
          nonce: (edge.nonces[2] ?? 0) - 1,
          valueWei: 5n,
          isSuccess: true,
        });
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce).toMatchObject({
      verdict: 'inconclusive',
      gaps: [{ reason: 'reorganised', count: 1 }],
    });
  });

  it('reports a nonce of the state that is missing in the feed', () => {
    const { words, told } = judge(run((edge) => (edge.nonces[1] = (edge.nonces[1] ?? 0) + 1)));

    expect(words).toEqual(['fail', 'pass', 'pass']);
    expect(told).toMatchObject([{ kind: 'final_count', account: hexAddressOf(1) }]);
  });

  it('is undecided if the feed dropped a message with a transaction', () => {
    const { verdicts, told } = judge(
      run((edge) => {
        const sent = { from: 0, to: 1, nonce: edge.nonces[0] ?? 0, valueWei: 5n, isSuccess: true };
        edge.apply(sent);
        edge.recordReceipt(sent);
        edge.recordIncluded(sent);
        edge.recordFeedGap();
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

  it('is undecided if the feed dropped its last message, which no later message reveals', () => {
    const { verdicts, told } = judge(
      run((edge) => {
        const sent = { from: 0, to: 1, nonce: edge.nonces[0] ?? 0, valueWei: 5n, isSuccess: true };
        edge.apply(sent);
        edge.recordReceipt(sent);
        edge.recordIncluded(sent);
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce).toMatchObject({
      verdict: 'inconclusive',
      gaps: [{ reason: 'feed_gap', count: 1 }],
    });
    expect(verdicts.balance.verdict).toBe('pass');
  });

  it('is undecided if telemetry was dropped, even if that is reported later', () => {
    const { verdicts, told } = judge(
      run((edge) => {
        edge.apply({ from: 0, to: 1, nonce: edge.nonces[0] ?? 0, valueWei: 5n, isSuccess: true });
        edge.send(0, 1);
        edge.recordInterval(4);
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'events_dropped', count: 1 }]);
    expect(verdicts.balance.verdict).toBe('inconclusive');
  });

  it('reports the gap of an account seen for the first time', () => {
    const edge = new ScriptedEdge(2);
    edge.pin('start');
    edge.nonces[0] = (edge.nonces[0] ?? 0) + 1;
    edge.send(0, 1);
    edge.recordInterval();
    edge.pin('end');

    expect(judge(edge).told).toMatchObject([{ kind: 'gap', expected: 'nonce 3', observed: 'nonce 4' }]);
  });

  it('reads a late message under its own number, and detects duplicates in it', () => {
    const late = (between: (edge: ScriptedEdge, sent: Sent) => void) =>
      judge(
        run((edge) => {
          const sent = { from: 0, to: 1, nonce: edge.nonces[0] ?? 0, valueWei: 5n, isSuccess: true };
          edge.apply(sent);
          edge.recordReceipt(sent);
          edge.recordIncluded(sent);
          edge.recordFeedGap();
          const missing = edge.sequence - 1;
          edge.send(0, 1);
          between(edge, { ...sent, nonce: sent.nonce });
          const { sequence } = edge;
          edge.recordFeed(sent, FEED_FLAGS.late, missing);
          edge.recordFeedAgainAt(sequence);
        }),
      );

    expect(late(() => undefined).words).toEqual(['pass', 'pass', 'pass']);
    expect(late((edge, sent) => edge.recordFeed(sent, FEED_FLAGS.late, 1)).told).toMatchObject([
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

  it('reports transactions executed twice, out of order, or never', () => {
    const twice = withoutFeed(run((edge) => edge.recordReceipt(edge.send(1, 2))));
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
          edge.recordReceipt({ ...sent, nonce: one });
        }
      }),
    );

    expect(twice.told[0]).toMatchObject({ check: 'nonce', kind: 'executed_twice', hash: hexHashOf(1, 4) });
    expect(skipped.told).toMatchObject([{ kind: 'final_count', account: hexAddressOf(1) }]);
    expect(unordered.told).toMatchObject([{ kind: 'regression', account: hexAddressOf(1), nonce: 4 }]);
  });

  it('reports a nonce missing in blocks', () => {
    const { told } = withoutFeed(
      run((edge) => {
        edge.nonces[1] = (edge.nonces[1] ?? 0) + 1;
        edge.send(1, 2);
      }),
    );

    expect(told).toMatchObject([{ check: 'nonce', kind: 'gap', account: hexAddressOf(1) }]);
  });

  it('is undecided for accounts with foreign senders', () => {
    const { told, verdicts } = withoutFeed(
      run((edge) => {
        edge.nonces[1] = (edge.nonces[1] ?? 0) + 1;
        edge.recordFinding('foreign', { account: addressOf(1) });
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'foreign_transactions', count: 1 }]);
  });

  it('is undecided if a receipt could not be read', () => {
    const { told, verdicts } = withoutFeed(
      run((edge) => {
        edge.nonces[1] = (edge.nonces[1] ?? 0) + 1;
        edge.recordFinding('malformed_receipt', { account: addressOf(1) });
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'malformed_receipt', count: 1 }]);
  });
});

describe('a configured feed without messages', () => {
  it('is reported as silent', () => {
    const edge = run();
    const kept = edge.batches.filter(([batch]) => batch?.table !== 'feed');
    edge.batches.splice(0, edge.batches.length, ...kept);

    expect(judge(edge).verdicts.nonce.gaps).toEqual([{ reason: 'feed_silent', count: 3 }]);
  });
});

describe('foreign senders', () => {
  it('make both ends of a transfer inconclusive, and fail nothing', () => {
    const { told, verdicts } = judge(
      run((edge) => {
        const foreign = { from: 0, to: 1, nonce: edge.nonces[0] ?? 0, valueWei: 9n, isSuccess: true };
        edge.apply(foreign);
        edge.recordFinding('foreign', {
          account: addressOf(0),
          receiver: addressOf(1),
          nonce: foreign.nonce,
          hash: hashOf(0, foreign.nonce),
        });
        edge.send(0, 1);
        edge.recordInterval();
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'foreign_transactions', count: 2 }]);
    expect(verdicts.balance.gaps).toEqual([{ reason: 'foreign_transactions', count: 2 }]);
  });

  it('delay the result, as blocks reveal them after the feed', () => {
    const { told } = judge(
      run((edge) => {
        const foreign = { from: 0, to: 1, nonce: edge.nonces[0] ?? 0, valueWei: 9n, isSuccess: true };
        edge.apply(foreign);
        const sent = { ...foreign, nonce: foreign.nonce + 1, valueWei: 5n };
        edge.apply(sent);
        edge.recordFeed(sent);
        edge.recordInterval();
        edge.recordFinding('foreign', { account: addressOf(0), receiver: addressOf(1) });
        edge.recordReceipt(sent);
      }),
    );

    expect(told).toEqual([]);
  });
});

describe('a reorganisation of the chain', () => {
  it('reverts receipts, and follows the transactions to their new blocks', () => {
    const { words } = judge(
      run((edge) => {
        const sent = edge.send(1, 2);
        edge.recordReceipt(sent, undefined, { is_withdrawn: true });
        edge.recordFinding('block_replaced');
        edge.recordReceipt(sent);
      }),
    );

    expect(words).toEqual(['pass', 'pass', 'pass']);
  });

  it('fails nothing if a transaction is never included again', () => {
    const { told, verdicts } = judge(
      run((edge) => {
        const sent = { from: 1, to: 2, nonce: edge.nonces[1] ?? 0, valueWei: 5n, isSuccess: true };
        edge.recordFeed(sent);
        edge.recordReceipt(sent);
        edge.recordReceipt(sent, undefined, { is_withdrawn: true });
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'reorganised', count: 1 }]);
    expect(verdicts.balance.gaps).toEqual([{ reason: 'missing_receipts', count: 1 }]);
  });

  it('excuses only the account whose nonces have a hole', () => {
    const { told, verdicts } = judge(
      run((edge) => {
        const gone = edge.send(1, 2);
        edge.send(1, 2);
        edge.recordReceipt(gone, undefined, { is_withdrawn: true });
        const moved = edge.send(0, 2);
        edge.recordReceipt(moved, undefined, { is_withdrawn: true });
        edge.recordReceipt(moved);
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'reorganised', count: 1 }]);
    expect(verdicts.balance.gaps).toContainEqual({ reason: 'reorganised', count: 1 });
  });

  it('reports no violation for a block replaced before it was read', () => {
    const { told, verdicts } = judge(
      run((edge) => {
        const gone = { from: 1, to: 2, nonce: edge.nonces[1] ?? 0, valueWei: 5n, isSuccess: true };
        edge.recordFeed(gone);
        edge.recordFinding('block_replaced', { block_number: 7 });
        edge.send(1, 2);
        edge.recordFeed({ ...gone, from: 0, nonce: edge.nonces[0] ?? 0 });
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'reorganised', count: 2 }]);
  });

  it('leaves the nonces undecided if the feed sent a block hash that is no longer canonical', () => {
    const { told, words, verdicts } = judge(
      run((edge) => {
        const gone = { from: 1, to: 2, nonce: edge.nonces[1] ?? 0, valueWei: 5n, isSuccess: true };
        edge.send(1, 2);
        edge.recordFinding('feed_unconfirmed', { block_number: 7, expected: '0x01', observed: '0x02' });
        edge.recordFeed(gone);
      }),
    );

    expect(told).toEqual([]);
    expect(words).toEqual(['inconclusive', 'pass', 'pass']);
    expect(verdicts.nonce.gaps.map(({ reason }) => reason)).toContain('feed_unconfirmed');
  });

  it('reports nothing for a method missing in the RPC', () => {
    const { words } = judge(run((edge) => edge.recordFinding('method_missing', { observed: 'no such' })));

    expect(words).toEqual(['pass', 'pass', 'pass']);
  });

  it('makes nonces and balances inconclusive if it exceeds the history of the edge', () => {
    const { words } = judge(run((edge) => edge.recordFinding('deep_reorganisation')));

    expect(words).toEqual(['inconclusive', 'inconclusive', 'pass']);
  });
});

describe('the findings of an edge', () => {
  it('leave nonces inconclusive that blocks do not confirm', () => {
    const { verdicts, words } = judge(run((edge) => edge.recordFinding('feed_unconfirmed')));

    expect(words).toEqual(['inconclusive', 'pass', 'pass']);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'feed_unconfirmed', count: 3 }]);
  });

  it('leave nonces and balances inconclusive if blocks were not read', () => {
    const { verdicts, words } = judge(run((edge) => edge.recordFinding('blocks_unread')));

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
  ] as const)('fail the %s check for %s, once for all edges', (check, kind) => {
    const { told, verdicts } = judge(
      run((edge) => {
        edge.recordFinding(kind, { block_number: 7, expected: 'this', observed: 'that' });
        edge.recordFinding(kind, { block_number: 7, expected: 'this', observed: 'that' });
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
      chain.recordFeed(sent);
      chain.recordIncluded(sent);
      const token = { to: addressOf(77), token_to: addressOf(1), token_units: 5n };
      chain.recordReceipt({ ...sent, kind: 'erc20_transfer' }, undefined, token);
    });
    edge.recordUnits([100n, 100n, 100n], endUnits);
    return judge(edge);
  }

  it('must match the transfers exactly', () => {
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
        chain.recordFeed(sent);
        chain.recordIncluded(sent);
        chain.recordReceipt(sent, undefined, { effective_gas_price: price, ...more });
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

  it('includes the tip if tips are paid, up to the cap', () => {
    expect(priced([107n], 'paid')).toEqual([]);
    expect(priced([100n], 'paid')).toHaveLength(1);
    expect(priced([300n], 'paid', { tip_wei: 250n, base_fee_wei: 100n })).toEqual([]);
    expect(priced([100n], 'dropped')).toEqual([]);
    expect(priced([107n], 'dropped')).toHaveLength(1);
  });

  it('follows the rule of the first receipts', () => {
    expect(priced([107n, 107n], 'auto')).toEqual([]);
    expect(priced([100n, 100n], 'auto')).toEqual([]);
    expect(priced([107n, 100n], 'auto')).toHaveLength(1);
    expect(priced([100n, 107n], 'auto')).toHaveLength(1);
    expect(priced([103n], 'auto')).toHaveLength(1);
  });

  it('is undecided if a block has no base fee', () => {
    const edge = run((chain) => {
      const sent = chain.send(1, 2);
      chain.batches.splice(-2, 1);
      chain.recordReceipt(sent, undefined, { base_fee_wei: null });
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
  ])('finds one wei %s outside of any transaction', (kind, wei) => {
    const { words, told } = judge(run((edge) => edge.credit(2, wei)));

    expect(words).toEqual(['pass', 'fail', 'pass']);
    expect(told).toMatchObject([{ check: 'balance', kind, account: hexAddressOf(2) }]);
  });

  it('neither passes nor fails if a receipt is missing', () => {
    const { verdicts, told } = judge(
      run((edge) => {
        const sent = { from: 0, to: 1, nonce: edge.nonces[0] ?? 0, valueWei: 5n, isSuccess: true };
        edge.apply(sent);
        edge.recordFeed(sent);
        edge.recordIncluded(sent);
      }),
    );

    expect(told).toEqual([]);
    expect(verdicts.balance).toMatchObject({ verdict: 'inconclusive', coverage: { checked: 1, total: 3 } });
    expect(verdicts.gas).toMatchObject({ verdict: 'inconclusive', coverage: { checked: 4, total: 5 } });
    expect(verdicts.nonce.verdict).toBe('pass');
  });

  it('is inconclusive for kinds with an unknown value flow', () => {
    const { verdicts } = judge(run((edge) => edge.send(0, 1, { kind: 'swap' })));

    expect(verdicts.balance.gaps).toEqual([{ reason: 'unknown_value_flow', count: 2 }]);
  });
});

describe('the gas check', () => {
  it('reports a receipt with more gas than the limit', () => {
    const { words, told } = judge(
      run((edge) => {
        const sent = { from: 1, to: 2, nonce: edge.nonces[1] ?? 0, valueWei: 0n, isSuccess: true };
        edge.nonces[1] = sent.nonce + 1;
        edge.credit(1, -BigInt(GAS_LIMIT + 1) * 100n);
        edge.recordFeed(sent);
        edge.recordReceipt(sent, GAS_LIMIT + 1);
        edge.recordIncluded(sent);
      }),
    );

    expect(words).toEqual(['pass', 'pass', 'fail']);
    expect(told).toMatchObject([
      { check: 'gas', kind: 'gas_over_limit', hash: hexHashOf(1, 4), expected: `gas ≤ ${GAS_LIMIT}` },
    ]);
  });
});

describe('transactions pending at the target', () => {
  it.each([0, 1, 2])('leave the nonces of their account %d undecided', (account) => {
    const { verdicts, words, seen } = judge(
      run((edge) => edge.recordPending({ from: account, nonce: edge.nonces[account] ?? 0 })),
    );

    expect(words).toEqual(['inconclusive', 'pass', 'pass']);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'pending_transactions', count: 1 }]);
    expect(seen).toMatchObject({ sent: 5, notSent: 0, included: 4, rejected: 0 });
  });

  it('cause no violation if the feed has already sent them', () => {
    const { words, verdicts } = judge(
      run((edge) => {
        const sent = { from: 1, to: 2, nonce: edge.nonces[1] ?? 0, valueWei: 0n, isSuccess: true };
        edge.recordFeed(sent);
        edge.recordPending(sent);
      }),
    );

    expect(words).toEqual(['inconclusive', 'inconclusive', 'pass']);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'pending_transactions', count: 1 }]);
  });

  it('of unknown accounts leave nothing undecided', () => {
    const { words } = judge(run((edge) => edge.recordPending({ from: 9, nonce: 0 })));

    expect(words).toEqual(['pass', 'pass', 'pass']);
  });
});

describe('a run whose edge counts more transactions than its rows contain', () => {
  it('has unchecked receipts', () => {
    const { verdicts } = judge(run(), { includedCount: 6 });

    expect(verdicts.gas).toMatchObject({
      verdict: 'inconclusive',
      coverage: { checked: 4, total: 6 },
      gaps: [{ reason: 'missing_receipts', count: 2 }],
    });
  });

  it.each([
    ['telemetry was dropped', (edge: ScriptedEdge) => edge.recordInterval(4), 'events_dropped'],
    [
      'a receipt could not be read',
      (edge: ScriptedEdge) => edge.recordFinding('malformed_receipt', { account: addressOf(1) }),
      'malformed_receipt',
    ],
  ] as const)('has receipts that nobody checked because %s', (_, between, reason) => {
    const { verdicts } = judge(run(between), { includedCount: 6 });

    expect(verdicts.gas.gaps).toEqual([{ reason, count: 2 }]);
  });

  it('has unseen nonces because of dropped telemetry', () => {
    const edge = run((chain) => {
      chain.apply({ from: 0, to: 1, nonce: chain.nonces[0] ?? 0, valueWei: 5n, isSuccess: true });
      chain.recordInterval(4);
    });

    const { verdicts, told } = judge(edge, { hasFeed: false });

    expect(told).toEqual([]);
    expect(verdicts.nonce.gaps).toEqual([{ reason: 'events_dropped', count: 1 }]);
  });

  it('counts the transactions of its rows, including inclusions known by receipt', () => {
    const edge = run((chain) => {
      chain.recordReceipt({ from: 0, to: 1, nonce: 9, valueWei: 0n, isSuccess: true });
    });

    const seen = { sent: 5, notSent: 0, included: 5, rejected: 0, rejectedUnexpected: 0 };
    expect(judge(edge).seen).toEqual(seen);
  });

  it('tells rejections that the mix expects from others', () => {
    const edge = run((chain) => {
      chain.recordRejected({ from: 0, nonce: 90 }, 'nonce_too_high', 'nonce_too_high');
      chain.recordRejected({ from: 0, nonce: 91 }, 'queue_timeout', 'nonce_too_high');
      chain.recordRejected({ from: 0, nonce: 92 }, 'queue_timeout', null);
    });

    expect(judge(edge).seen).toMatchObject({ rejected: 3, rejectedUnexpected: 2 });
  });
});

describe('a lost edge', () => {
  it('makes its accounts inconclusive', () => {
    const edge = run();
    edge.batches.pop();

    const { verdicts } = judge(edge, { isLost: true });

    expect(verdicts.nonce.gaps).toEqual([{ reason: 'edge_lost', count: 3 }]);
    expect(verdicts.balance.gaps).toEqual([{ reason: 'edge_lost', count: 3 }]);
    expect(verdicts.gas.verdict).toBe('pass');
  });

  it('leaves the gas check open unless the receipts of all its included transactions were checked', () => {
    const { verdicts } = judge(run(), { isLost: true, includedCount: 7 });

    expect(verdicts.gas).toMatchObject({
      verdict: 'inconclusive',
      coverage: { checked: 4, total: 7 },
      gaps: [{ reason: 'edge_lost', count: 3 }],
    });
  });

  it('has no nonce gap reported as a violation, as its drops are unknown', () => {
    const edge = new ScriptedEdge(3);
    edge.pin('start');
    edge.send(0, 1);
    edge.apply({ from: 0, to: 1, nonce: edge.nonces[0] ?? 0, valueWei: 5n, isSuccess: true });
    edge.send(0, 1);

    const { told, words } = judge(edge, { isLost: true });

    expect(told).toEqual([]);
    expect(words).toEqual(['inconclusive', 'inconclusive', 'pass']);
  });

  it('counts with all its assigned accounts if it sent nothing', () => {
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
