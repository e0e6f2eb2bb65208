import type { FindingKind, TableBatch } from '#load/telemetry';
import { type Check, type CheckVerdict, verdictOf, type Violation } from './evidence/verdict.ts';
import { ViolationLogs } from './evidence/violation-logs.ts';
import { PriceRule, type TipPolicy } from './checks/gas-rules.ts';
import { EdgeLedger, type FoundKind, type LedgerRules, type SeenTransactions } from './ledger/edge-ledger.ts';
import { concludeEdge, CoverageCount, type EdgeOutcome } from './ledger/edge-verdict.ts';

export interface OracleOptions {
  /** Number of accounts by edge: the total for the coverage. */
  readonly accountCounts: ReadonlyMap<string, number>;
  /** Whether edges read the feed; default true. */
  readonly hasFeed?: boolean;
  /** Whether called contracts may send ether to accounts, which no receipt shows; default false. */
  readonly mayBePaid?: boolean;
  /** The target's handling of tips; default: derived from its first receipts. */
  readonly tips?: TipPolicy;
  /** Called with each violation when it is found; balances are concluded last. */
  readonly onViolation: (violation: Violation) => void;
}

/** The verdicts of a run. */
export type Verdicts = Readonly<Record<Check, CheckVerdict>>;

const NO_OUTCOME: EdgeOutcome = { isLost: false, includedCount: 0 };

/** Tables in processing order: an account's start precedes its transactions. */
const TAKEN_IN_ORDER = ['balances', 'findings', 'feed', 'receipts', 'transactions', 'intervals'] as const;

/** Limit of remembered faults for deduplication between edges. */
const SHARED_FAULTS_MAX = 100_000;

/**
 * Checks a run's telemetry as it arrives: batches of an edge in the order of its journal, edges in any order.
 * Memory is bounded by the number of accounts. Replaying the same batches gives the same verdicts.
 */
export class OracleFold {
  readonly #ledgers = new Map<string, EdgeLedger>();
  readonly #accountCounts: ReadonlyMap<string, number>;
  readonly #logs: ViolationLogs;
  readonly #rules: LedgerRules;
  readonly #known = new Set<string>();

  constructor({
    accountCounts,
    hasFeed = true,
    mayBePaid = false,
    tips = 'auto',
    onViolation,
  }: OracleOptions) {
    this.#accountCounts = accountCounts;
    this.#logs = new ViolationLogs(onViolation);
    this.#rules = {
      logs: this.#logs,
      price: new PriceRule(tips),
      hasFeed,
      mayBePaid,
      isNew: (finding) => this.#isNew(finding),
    };
    for (const edgeId of accountCounts.keys()) this.#ledger(edgeId);
  }

  apply(edgeId: string, batches: readonly TableBatch[]): void {
    const ledger = this.#ledger(edgeId);
    for (const table of TAKEN_IN_ORDER) {
      for (const batch of batches) if (batch.table === table) ledger.apply(batch);
    }
  }

  /** Transaction counts by the rows received so far, by edge. */
  get seen(): ReadonlyMap<string, SeenTransactions> {
    return new Map(Array.from(this.#ledgers, ([edgeId, ledger]) => [edgeId, ledger.seen]));
  }

  /** Kinds of the transactions of all edges. */
  get kinds(): ReadonlySet<string> {
    return new Set([...this.#ledgers.values()].flatMap(({ kinds }) => [...kinds]));
  }

  /** The received findings by kind, by edge. */
  get findings(): ReadonlyMap<string, ReadonlyMap<FindingKind, FoundKind>> {
    return new Map(Array.from(this.#ledgers, ([edgeId, ledger]) => [edgeId, ledger.findings]));
  }

  /** Call once after the last batch, with the final state of each edge. */
  conclude(outcomes: ReadonlyMap<string, EdgeOutcome> = new Map()): Verdicts {
    const coverage = { nonce: new CoverageCount(), balance: new CoverageCount(), gas: new CoverageCount() };
    for (const ledger of this.#ledgers.values()) {
      const outcome = outcomes.get(ledger.edgeId) ?? NO_OUTCOME;
      concludeEdge(ledger, { outcome, logs: this.#logs, coverage });
      const unseen = (this.#accountCounts.get(ledger.edgeId) ?? 0) - ledger.index.size;
      const reason = outcome.isLost ? 'edge_lost' : 'no_start_balance';
      if (unseen > 0) for (const count of [coverage.nonce, coverage.balance]) count.add(reason, unseen);
    }
    const verdict = (check: Check): CheckVerdict => ({
      verdict: verdictOf(this.#logs[check].count, coverage[check].coverage),
      coverage: coverage[check].coverage,
      violationCount: this.#logs[check].count,
      violations: this.#logs[check].kept,
      gaps: coverage[check].gaps,
    });
    return { nonce: verdict('nonce'), balance: verdict('balance'), gas: verdict('gas') };
  }

  #ledger(edgeId: string): EdgeLedger {
    const known = this.#ledgers.get(edgeId);
    if (known !== undefined) return known;
    const ledger = new EdgeLedger(edgeId, this.#rules);
    this.#ledgers.set(edgeId, ledger);
    return ledger;
  }
  #isNew(finding: string): boolean {
    if (this.#known.has(finding)) return false;
    if (this.#known.size < SHARED_FAULTS_MAX) this.#known.add(finding);
    return true;
  }
}
