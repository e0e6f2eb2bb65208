import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toHex } from '#load/chain';
import { decodeTables, EventBuffer, type TableBatch, type TextColumn } from '#load/telemetry';
import { MicroClock } from '#platform/foundation';
import { FindingRecorder } from '../correlation/finding-log.ts';
import { AddressBook } from '../plan/account-keys.ts';
import type { FailureClass } from '../rpc/failure-class.ts';
import type { RpcReply } from '../rpc/rpc-reply.ts';
import type { BlockReceipts } from '../settlement/block-receipts.ts';
import { NO_SETUP } from '../plan/contract-setup.ts';
import { blueprintOf } from '../transaction/blueprint.ts';
import { OpenTransaction } from '../transaction/open-transaction.ts';
import { Latencies } from './latencies.ts';
import { Ledger } from './ledger.ts';
import type { UnplacedState } from './transaction-faults.ts';
import { RunFacts } from './run-facts.ts';
import { LoadCounters } from './tally.ts';

const US_A_MS = 1_000;
const CORRELATION_MS = 1_000;
const EXPECTED = 'fee_too_low';
const STAGES = [false, true].map((exclude) => ({
  name: 's',
  durationMs: 1,
  startRate: 1,
  endRate: 1,
  exclude,
}));

/** The events that can happen, in any order, to any sent transaction. */
type Step =
  | { readonly kind: 'send'; readonly stage: number }
  | { readonly kind: 'notSend'; readonly stage: number }
  | { readonly kind: 'ack' | 'feed' | 'block' | 'revert'; readonly which: number }
  | { readonly kind: 'fail'; readonly which: number; readonly failure: FailureClass }
  | { readonly kind: 'wait'; readonly ms: number };

type Event = Extract<Step, { readonly which: number }>;

const which = fc.nat({ max: 30 });
const stage = fc.nat({ max: 1 });
const failure = fc.constantFrom<FailureClass>(
  'fee_too_low',
  'nonce_too_low',
  'nonce_too_high',
  'rpc_timeout',
  'edge_starved',
);
const kind = <K extends Step['kind']>(...kinds: readonly K[]): fc.Arbitrary<K> => fc.constantFrom(...kinds);
const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: kind('send'), stage }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('notSend'), stage }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('ack', 'feed', 'block'), which }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('revert'), which }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('fail'), which, failure }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('wait'), ms: fc.nat({ max: 800 }) }) },
);

class LedgerRun {
  readonly events = new EventBuffer({ bufferEvents: 2_048, batchEvents: 64 });
  readonly counters = new LoadCounters();
  readonly ledger: Ledger;
  readonly sent: OpenTransaction[] = [];
  nowUs = 1_000_000;
  head = 0;
  readonly #overdue = new Set<OpenTransaction>();
  #planned = 0;

  constructor(hasFeed: boolean) {
    const book = new AddressBook(0, new Uint8Array(40).fill(7));
    const blueprint = blueprintOf(
      { kind: 'transfer', weight: 1, expect: EXPECTED },
      { token: null, setup: NO_SETUP, accounts: 1 },
    );
    this.ledger = new Ledger({
      facts: new RunFacts({ stages: STAGES, blueprints: [blueprint], book, nonces: [0] }),
      events: this.events,
      findings: new FindingRecorder(this.events, new MicroClock()),
      counters: this.counters,
      latencies: new Latencies([false, true]),
      correlation: { timeoutMs: CORRELATION_MS, feed: hasFeed ? 'per_edge' : 'off' },
    });
  }

  take(step: Step): void {
    if (step.kind === 'send') this.#send(step.stage);
    else if (step.kind === 'notSend') this.ledger.notSent(this.#intent(step.stage), 'max_inflight');
    else if (step.kind === 'wait') {
      this.nowUs += step.ms * US_A_MS;
      for (const open of this.ledger.sweep(this.nowUs)) {
        expect(this.#overdue.has(open)).toBe(false);
        this.#overdue.add(open);
      }
    } else this.#happen(step, this.sent[step.which % Math.max(1, this.sent.length)]);
  }

  /** The transaction rows; hashes as text. */
  rows(): readonly { readonly outcome: string; readonly hash: string | null }[] {
    return this.batches().flatMap((table) => {
      if (table.table !== 'transactions') return [];
      const { outcome, hash } = table.columns;
      return Array.from({ length: table.rowCount }, (_, at) => {
        const code = hash.codes[at] ?? -1;
        const text = code < 0 ? null : toHex(hash.bytes.subarray(code * 32, code * 32 + 32));
        return { outcome: outcome.texts[outcome.codes[at] ?? 0] ?? '', hash: text };
      });
    });
  }

  /** Receipts less the withdrawn ones, by hash. */
  receipts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const table of this.batches()) {
      if (table.table !== 'receipts') continue;
      const { hash, is_withdrawn: isWithdrawn } = table.columns;
      for (const [at, code] of hash.codes.entries()) {
        const text = toHex(hash.bytes.subarray(code * 32, code * 32 + 32));
        counts.set(text, (counts.get(text) ?? 0) + (isWithdrawn.values[at] === 1 ? -1 : 1));
      }
    }
    return counts;
  }

  batches(): readonly TableBatch[] {
    const tables: TableBatch[] = [];
    for (let batch = this.events.takeBatch(); batch !== undefined; batch = this.events.takeBatch()) {
      tables.push(...decodeTables(batch.bytes));
    }
    return tables;
  }

  /** The next block, with only this transaction. */
  block(open: OpenTransaction, isExecuted: boolean): void {
    this.ledger.blocks.apply(blockOf(open, { isExecuted, blockNumber: ++this.head, readUs: this.nowUs }));
  }

  /** The last blocks are replaced. */
  goBack(count: number): void {
    for (let left = Math.min(count, this.head); left > 0; left--) this.ledger.blocks.replaced(this.head--);
  }

  #intent(stage: number): { readonly tx: number; readonly stage: number; readonly intendedUs: number } {
    return { tx: this.#planned++, stage, intendedUs: this.nowUs };
  }

  #send(stage: number): void {
    const hash = new Uint8Array(32);
    new DataView(hash.buffer).setUint32(0, this.sent.length % 5);
    new DataView(hash.buffer).setUint32(28, this.sent.length);
    const item = { position: 0, nonce: this.sent.length, usesNonce: true, before: 0, entry: 0, variant: 0 };
    const signed = { item, id: 1, body: hash, hash, fees: { maxFee: 1n, priorityFee: 0n } };
    const open = new OpenTransaction(this.#intent(stage), signed, { body: hash, nowMs: 0, slot: undefined });
    this.ledger.register(open, this.nowUs);
    this.ledger.started(open, this.nowUs);
    this.sent.push(open);
  }

  #happen(step: Event, open: OpenTransaction | undefined): void {
    if (open === undefined) return;
    if (step.kind === 'feed') this.ledger.feed(feedOf(open, this.nowUs), null);
    else if (step.kind === 'block') this.block(open, true);
    else if (step.kind === 'revert') this.block(open, false);
    else if (open.answeredUs === undefined) {
      this.ledger.answered(open, replyOf(step, open), this.nowUs);
    }
  }
}

function replyOf(step: Event, { hash }: OpenTransaction): RpcReply {
  if (step.kind !== 'fail') return { isFine: true, result: toHex(hash) };
  return { isFine: false, failure: step.failure, code: null, message: 'no' };
}

function feedOf(open: OpenTransaction, receivedUs: number): Parameters<Ledger['feed']>[0] {
  const message = { sequenceNumber: 1, timestamp: 1, flags: 0, missing: 0, bytes: 9, hashes: open.hash };
  return {
    ...message,
    receivedUs,
    blockHash: null,
    blockMetadata: null,
    isDelayed: false,
    delayedRead: null,
    wrongSigner: null,
  };
}

function blockOf(
  { hash }: OpenTransaction,
  {
    isExecuted,
    ...place
  }: { readonly isExecuted: boolean; readonly blockNumber: number; readonly readUs: number },
): BlockReceipts {
  return {
    ...place,
    hash: new Uint8Array(32).fill(place.blockNumber),
    timestamp: 1,
    parentNumber: null,
    baseFee: 1n,
    txHashes: hash,
    receivers: Int32Array.of(0),
    stated: new Uint8Array(20).fill(0),
    types: Int32Array.of(-1),
    missing: 0,
    singleCount: 0,
    contracts: new Map(),
    incoming: [],
    faults: [],
    hashes: hash,
    positions: Uint32Array.of(0),
    indexes: Uint32Array.of(0),
    statuses: Uint8Array.of(Number(isExecuted)),
    gasUsed: Float64Array.of(21_000),
    gasUsedL1: Float64Array.of(NaN),
    prices: [1n],
    suspicious: new Map(),
  };
}

const textsOf = ({ codes, texts }: TextColumn): readonly (string | undefined)[] =>
  Array.from(codes, (code) => texts[code]);

describe('Ledger', () => {
  it.each([true, false])('balances after any events in any order (with a feed: %s)', (hasFeed) => {
    fc.assert(
      fc.property(fc.array(STEP, { maxLength: 200 }), (steps) => {
        const run = new LedgerRun(hasFeed);
        const { ledger } = run;
        const holdsAlways = (): void => {
          const { planned, sent, notSent, included, rejected, unknown } = ledger.total;
          expect(planned).toBe(sent + notSent);
          expect(sent).toBe(included + rejected + unknown + ledger.openCount);
          expect(ledger.awaitedCount).toBeGreaterThanOrEqual(0);
        };
        for (const step of steps) {
          run.take(step);
          holdsAlways();
        }

        ledger.close(run.nowUs);

        holdsAlways();
        const { planned, sent, notSent, included, rejected, unknown, misses } = ledger.total;
        const rows = run.rows();
        const count = (outcome: string): number => rows.filter((row) => row.outcome === outcome).length;
        expect(ledger.openCount).toBe(0);
        expect(rows).toHaveLength(planned);
        expect(new Set(rows.flatMap(({ hash }) => hash ?? [])).size).toBe(sent);
        expect([count('not_sent'), count('unknown')]).toEqual([notSent, unknown]);
        expect([count('included'), count('rejected')]).toEqual([included, rejected]);
        expect(misses).toBe(run.counters.correlationMisses);
        expect(misses).toBe(run.sent.filter(({ isMiss }) => isMiss).length);
        expect(ledger.total.ackedUndecided).toBe(
          run.sent.filter((open) => open.outcome === 'unknown' && (open.ackedUs ?? open.feedUs) !== undefined)
            .length,
        );
        expect(ledger.total.edgeStarved).toBe(
          run.sent.filter((open) => open.outcome === 'unknown' && open.answerFailure === 'edge_starved')
            .length,
        );
        expect(ledger.total.rejectedUnexpected).toBe(
          run.sent.filter((open) => open.outcome === 'rejected' && open.answerFailure !== EXPECTED).length,
        );
        expect(ledger.total.reverted).toBe(run.sent.filter(({ isReverted }) => isReverted).length);
        expect(ledger.measured.planned).toBe(ledger.stages[0]?.planned);
      }),
    );
  });
});

describe('Ledger with reorganisations', () => {
  const GO_BACK = fc.record({ kind: fc.constant('goBack' as const), count: fc.integer({ min: 1, max: 5 }) });

  it('counts the final inclusions, with one receipt each', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(STEP, GO_BACK), { maxLength: 200 }), (steps) => {
        const run = new LedgerRun(true);
        const { ledger } = run;
        for (const step of steps) {
          if (step.kind === 'goBack') run.goBack(step.count);
          else run.take(step);
          const { sent, included, rejected, unknown } = ledger.total;
          expect(sent).toBe(included + rejected + unknown + ledger.openCount);
          const unplaced = run.sent.filter(
            ({ blockNumber, outcome }) => blockNumber === undefined && outcome !== 'rejected',
          );
          expect(ledger.unplacedCount).toBe(unplaced.length);
        }

        ledger.close(run.nowUs);

        const standing = run.sent.filter(({ blockNumber }) => blockNumber !== undefined);
        const receipts = run.receipts();
        expect(ledger.total.included).toBe(standing.length);
        expect([...receipts.values()].filter((count) => count !== 0)).toEqual(standing.map(() => 1));
        for (const { hash } of standing) expect(receipts.get(toHex(hash))).toBe(1);
      }),
    );
  });

  it('reports a transaction in a second block at any later time', () => {
    const run = new LedgerRun(true);
    run.take({ kind: 'send', stage: 0 });
    run.take({ kind: 'ack', which: 0 });
    run.take({ kind: 'block', which: 0 });
    run.take({ kind: 'send', stage: 0 });
    const [first, second] = run.sent;
    if (second !== undefined) for (let more = 0; more < 40; more++) run.block(second, true);
    run.take({ kind: 'wait', ms: 5_000 });
    expect(run.ledger.hasSent(first?.hash ?? new Uint8Array(32))).toBe(true);

    if (first !== undefined) run.block(first, true);
    run.take({ kind: 'feed', which: 0 });

    const batches = run.batches();
    const kinds = batches.flatMap((batch) => (batch.table === 'findings' ? textsOf(batch.columns.kind) : []));
    const shown = batches.flatMap((batch) => (batch.table === 'feed' ? [...batch.columns.nonce.values] : []));
    expect(kinds.filter((one) => one === 'executed_twice')).toHaveLength(40);
    expect(shown.filter((nonce) => nonce === 0)).toHaveLength(1);
    expect(run.ledger.total.included).toBe(2);
  });

  it('records the reason why an accepted transaction is in no block', () => {
    const run = new LedgerRun(true);
    const determined = ['pending', 'nonce_taken', 'lost'] as const;
    for (const which of [0, 1, 2, 3]) {
      run.take({ kind: 'send', stage: 0 });
      run.take({ kind: 'ack', which });
    }
    const states = new Map<OpenTransaction, UnplacedState>();
    for (const [which, state] of determined.entries()) {
      const open = run.sent[which];
      if (open !== undefined) states.set(open, state);
    }

    run.ledger.close(run.nowUs, states);

    const classes = [...determined, 'undecided'] as const;
    expect(classes.map((one) => run.counters.failures(one, false))).toEqual([1, 1, 1, 1]);
    expect(run.ledger.total).toMatchObject({ unknown: 4, ackedLost: 1, ackedUndecided: 3 });
  });
});

describe('a transaction in the ledger', () => {
  const after = (...steps: readonly Step[]): LedgerRun => {
    const run = new LedgerRun(true);
    run.take({ kind: 'send', stage: 0 });
    for (const step of steps) run.take(step);
    return run;
  };

  it('is included if the feed contains it, with any answer', () => {
    const run = after({ kind: 'fail', which: 0, failure: 'nonce_too_low' }, { kind: 'feed', which: 0 });

    expect(run.ledger.total).toMatchObject({ included: 1, rejected: 0, misses: 0 });
    expect(run.counters.failures('nonce_too_low', false)).toBe(1);
  });

  it('is a miss if the feed does not contain it in time, and still included by its block', () => {
    const run = after({ kind: 'ack', which: 0 }, { kind: 'block', which: 0 }, { kind: 'wait', ms: 1_001 });

    expect(run.ledger.total).toMatchObject({ included: 1, misses: 1 });
  });

  it('is a miss after the time-out only if the target is found to have accepted it', () => {
    const broken = after({ kind: 'fail', which: 0, failure: 'rpc_timeout' }, { kind: 'wait', ms: 5_000 });
    expect(broken.ledger.total.misses).toBe(0);

    broken.take({ kind: 'block', which: 0 });

    expect(broken.ledger.total).toMatchObject({ included: 1, misses: 1 });
  });

  it('is no miss if it was rejected or is not overdue', () => {
    const rejected = after({ kind: 'fail', which: 0, failure: 'fee_too_low' }, { kind: 'wait', ms: 5_000 });
    const early = after({ kind: 'ack', which: 0 }, { kind: 'wait', ms: 999 });
    early.ledger.close(early.nowUs);

    expect(rejected.ledger.total.misses).toBe(0);
    expect(early.ledger.total).toMatchObject({ misses: 0, unknown: 1 });
    expect(early.counters.failures('lost', false)).toBe(0);
  });

  it('is no unexpected failure if its entry of the mix expects the failure', () => {
    const run = after({ kind: 'fail', which: 0, failure: 'fee_too_low' });

    expect(run.ledger.total.rejectedUnexpected).toBe(0);
    expect(run.counters.failures('fee_too_low', true)).toBe(1);
  });

  it.each<[string, readonly Step[], object]>([
    [
      'accepted though a failure is expected',
      [{ kind: 'ack', which: 0 }],
      { expectUnmet: 1, rejectedUnexpected: 0 },
    ],
    [
      'refused with the expected failure, and executed',
      [
        { kind: 'fail', which: 0, failure: 'fee_too_low' },
        { kind: 'block', which: 0 },
      ],
      { expectUnmet: 1, includedAfterError: 0 },
    ],
    [
      'refused with another failure',
      [{ kind: 'fail', which: 0, failure: 'nonce_too_low' }],
      { expectUnmet: 0, rejectedUnexpected: 1 },
    ],
    [
      'refused, and included all the same',
      [
        { kind: 'fail', which: 0, failure: 'nonce_too_low' },
        { kind: 'block', which: 0 },
      ],
      { rejectedUnexpected: 0, includedAfterError: 1 },
    ],
    [
      'reverted',
      [
        { kind: 'ack', which: 0 },
        { kind: 'revert', which: 0 },
        { kind: 'feed', which: 0 },
      ],
      { reverted: 1, included: 1 },
    ],
    [
      'acknowledged, and in no block',
      [
        { kind: 'ack', which: 0 },
        { kind: 'wait', ms: 800 },
      ],
      { ackedLost: 0, ackedUndecided: 1, unknown: 1 },
    ],
  ])('counts against the run when it is %s', (_what, steps, counts) => {
    const run = after(...steps);

    run.ledger.close(run.nowUs);

    expect(run.ledger.total).toMatchObject(counts);
    expect(run.ledger.measured).toMatchObject(counts);
  });

  it('is included with a failed execution by its receipt', () => {
    const run = after({ kind: 'ack', which: 0 }, { kind: 'revert', which: 0 }, { kind: 'revert', which: 0 });

    expect(run.ledger.total.included).toBe(1);
    expect(run.counters.failures('reverted', false)).toBe(1);
  });

  it('has a feed row for each occurrence in the feed', () => {
    const run = after(
      { kind: 'ack', which: 0 },
      { kind: 'block', which: 0 },
      { kind: 'feed', which: 0 },
      { kind: 'feed', which: 0 },
    );

    const indexes = run.batches().flatMap((table) => {
      return table.table === 'feed' ? Array.from(table.columns.tx_index.values) : [];
    });

    expect(indexes.sort()).toEqual([-1, -1, 0, 0]);
  });

  it('is unknown after an answer with another hash', () => {
    const run = after();
    const [open] = run.sent;
    if (open !== undefined) run.ledger.answered(open, { isFine: true, result: '0x00' }, run.nowUs);

    run.ledger.close(run.nowUs);

    expect(run.ledger.total.unknown).toBe(1);
    expect(run.counters.failures('hash_mismatch', false)).toBe(1);
    expect(run.counters.failures('lost', false)).toBe(0);
  });
});
