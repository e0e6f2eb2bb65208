import { describe, expect, it } from '@jest/globals';
import { FEED_FLAGS } from '#telemetry';
import { GAS_LIMIT, hexAddressOf, hexHashOf, ScriptedEdge } from '../test/scripted-edge.ts';
import type { Violation } from './evidence/violation.ts';
import { OracleFold } from './oracle-fold.ts';

const EDGE = 'edge-1';

function judge(
  edge: ScriptedEdge,
  { accounts = edge.balances.length, isLost = false, includedCount = 0 } = {},
) {
  const told: Violation[] = [];
  const fold = new OracleFold({
    accountCounts: new Map([[EDGE, accounts]]),
    onViolation: (violation) => told.push(violation),
  });
  for (const batches of edge.batches) fold.take(EDGE, batches);
  const verdicts = fold.conclude(new Map([[EDGE, { isLost, includedCount }]]));
  return {
    told,
    verdicts,
    seen: fold.seen.get(EDGE),
    words: [verdicts.nonce.verdict, verdicts.balance.verdict, verdicts.gas.verdict],
  };
}

/** Three accounts, four transactions, one of which fails; `between` is done before the last one. */
function run(between: (edge: ScriptedEdge) => void = () => undefined): ScriptedEdge {
  const edge = new ScriptedEdge(3);
  edge.pin('start');
  edge.send(0, 1);
  edge.send(1, 2, { isSuccess: false });
  edge.send(0, 1, { valueWei: 7n });
  edge.tellInterval();
  between(edge);
  edge.send(2, 0);
  edge.tellInterval();
  edge.pin('end');
  return edge;
}

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

  it('passes nothing without a feed', () => {
    const edge = run();
    const withoutFeed = edge.batches.filter(([batch]) => batch?.table !== 'feed');
    edge.batches.splice(0, edge.batches.length, ...withoutFeed);

    const { verdicts } = judge(edge);

    expect(verdicts.nonce).toMatchObject({
      verdict: 'inconclusive',
      gaps: [{ reason: 'feed_not_watched', count: 3 }],
    });
    expect(verdicts.balance.verdict).toBe('pass');
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

describe('a run whose edge counts more than its rows tell', () => {
  it('has receipts that nobody checked', () => {
    const { verdicts } = judge(run(), { includedCount: 6 });

    expect(verdicts.gas).toMatchObject({
      verdict: 'inconclusive',
      coverage: { checked: 4, total: 6 },
      gaps: [{ reason: 'missing_receipts', count: 2 }],
    });
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
    const { verdicts } = judge(new ScriptedEdge(0), { accounts: 50, isLost: true });

    expect(verdicts.balance).toMatchObject({ coverage: { checked: 0, total: 50 }, verdict: 'inconclusive' });
  });
});
