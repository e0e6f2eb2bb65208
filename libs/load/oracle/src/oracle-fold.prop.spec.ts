import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FEED_FLAGS } from '#load/telemetry';
import { addressOf, ScriptedEdge, type Sent } from '../test/scripted-edge.ts';
import { OracleFold } from './oracle-fold.ts';

const ACCOUNTS = 4;
const arbitraryAccount = fc.nat(ACCOUNTS - 1);
const arbitrarySteps = fc.array(
  fc.record({
    from: arbitraryAccount,
    to: fc.integer({ min: -1, max: ACCOUNTS - 1 }),
    valueWei: fc.bigInt(0n, 10n ** 15n),
    isSuccess: fc.boolean(),
    endsSecond: fc.boolean(),
  }),
  { maxLength: 120 },
);

function judge(edge: ScriptedEdge, isLost = false) {
  const accountCounts = new Map([['edge-1', ACCOUNTS]]);
  const fold = new OracleFold({ accountCounts, onViolation: () => undefined });
  for (const batches of edge.batches) fold.apply('edge-1', batches);
  return fold.conclude(new Map([['edge-1', { isLost, includedCount: 0 }]]));
}

type Steps = readonly { from: number; to: number; endsSecond: boolean }[];

function play(steps: Steps): ScriptedEdge {
  const edge = new ScriptedEdge(ACCOUNTS);
  edge.pin('start');
  go(edge, steps);
  return edge;
}

function go(edge: ScriptedEdge, steps: Steps): readonly Sent[] {
  return steps.map(({ from, to, endsSecond, ...how }) => {
    const sent = edge.send(from, to, how);
    if (endsSecond) edge.recordInterval();
    return sent;
  });
}

/** Reorganises the feed: repeats the messages in another order that keeps the order of each account. */
function reorganise(edge: ScriptedEdge, told: readonly Sent[]): void {
  const first = edge.sequence - told.length + 1;
  for (const [at, sent] of told.toSorted((one, other) => one.from - other.from).entries()) {
    if (at === 0) edge.recordFeed(sent, FEED_FLAGS.reorganisation, first);
    else edge.recordFeed(sent);
  }
}

describe('any run of a correct sequencer', () => {
  it('passes nonce and balance', () => {
    fc.assert(
      fc.property(arbitrarySteps, (steps) => {
        const edge = play(steps);
        edge.send(0, 1);
        edge.pin('end');

        const { nonce, balance } = judge(edge);

        expect([nonce.verdict, balance.verdict]).toEqual(['pass', 'pass']);
      }),
    );
  });
});

describe('a reorganisation of any depth', () => {
  it('passes nonce and balance if the feed repeats all transactions', () => {
    fc.assert(
      fc.property(arbitrarySteps, fc.nat(), arbitrarySteps, (before, choice, after) => {
        const edge = new ScriptedEdge(ACCOUNTS);
        edge.pin('start');
        const told = go(edge, before);
        reorganise(edge, told.slice(choice % (told.length + 1)));
        go(edge, after);
        edge.send(0, 1);
        edge.pin('end');

        const { nonce, balance } = judge(edge);

        expect([nonce.verdict, balance.verdict]).toEqual(['pass', 'pass']);
      }),
    );
  });
});

describe('after any transactions', () => {
  it('finds any unexplained amount of wei, and reports nothing else', () => {
    const arbitraryTheft = fc.bigInt(-(10n ** 12n), 10n ** 12n).filter((wei) => wei !== 0n);
    fc.assert(
      fc.property(arbitrarySteps, arbitraryAccount, arbitraryTheft, (steps, account, wei) => {
        const edge = play(steps);
        edge.send(0, 1);
        edge.credit(account, wei);
        edge.pin('end');

        const { nonce, balance, gas } = judge(edge);

        expect([nonce.verdict, balance.verdict, gas.verdict]).toEqual(['pass', 'fail', 'pass']);
        expect(balance.violationCount).toBe(1);
      }),
    );
  });

  it('neither passes nor fails the accounts of an edge lost at any time', () => {
    fc.assert(
      fc.property(arbitrarySteps, fc.nat(), (steps, choice) => {
        const edge = play(steps);
        edge.send(0, 1);
        edge.batches.splice(choice % (edge.batches.length + 1));

        const { nonce, balance, gas } = judge(edge, true);

        expect([nonce.verdict, balance.verdict]).toEqual(['inconclusive', 'inconclusive']);
        expect(gas.verdict).not.toBe('fail');
      }),
    );
  });

  it('never reports dropped telemetry as a violation', () => {
    fc.assert(
      fc.property(arbitrarySteps, fc.nat(), arbitrarySteps, (before, choice, after) => {
        const edge = play(before);
        const told = edge.batches.length;
        edge.send(0, 1);
        edge.batches.splice(told + (choice % 3), 1);
        edge.recordInterval(1);
        go(edge, after);
        edge.pin('end');

        const verdicts = Object.values(judge(edge)).map(({ verdict }) => verdict);

        expect(verdicts).not.toContain('fail');
      }),
    );
  });
});

describe('any reorganisation of blocks', () => {
  it('passes as long as every transaction is included again', () => {
    fc.assert(
      fc.property(arbitrarySteps, fc.nat(), arbitrarySteps, (before, choice, after) => {
        const edge = new ScriptedEdge(ACCOUNTS);
        edge.pin('start');
        const told = go(edge, before);
        const replaced = told.slice(choice % (told.length + 1));
        for (const sent of replaced.toReversed()) edge.recordReceipt(sent, undefined, { is_withdrawn: true });
        for (const sent of replaced) edge.recordReceipt(sent);
        go(edge, after);
        edge.send(0, 1);
        edge.pin('end');

        const verdicts = judge(edge);

        expect(Object.values(verdicts).map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'pass']);
      }),
    );
  });
});

describe('a foreign sender of an account, at any time', () => {
  it('causes no failure, and no pass of that account', () => {
    fc.assert(
      fc.property(
        arbitrarySteps,
        arbitraryAccount,
        arbitraryAccount,
        arbitrarySteps,
        (before, from, to, after) => {
          const edge = play(before);
          const foreign = { from, to, nonce: edge.nonces[from] ?? 0, valueWei: 11n, isSuccess: true };
          edge.apply(foreign);
          edge.recordFinding('foreign', { account: addressOf(from), receiver: addressOf(to) });
          go(edge, after);
          edge.recordInterval();
          edge.pin('end');

          const { nonce, balance } = judge(edge);

          expect([nonce.verdict, balance.verdict]).toEqual(['inconclusive', 'inconclusive']);
        },
      ),
    );
  });
});
