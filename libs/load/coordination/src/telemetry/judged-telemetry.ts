import { fromHex } from '#load/chain';
import { type Check, OracleFold, type Verdicts, type Violation } from '#load/oracle';
import {
  type EdgeInstance,
  type FinalRows,
  type RowOf,
  type TableBatch,
  TableBuilder,
  TelemetryWriter,
} from '#load/telemetry';
import type { Disk } from '#platform/disk';
import { assert } from '#platform/foundation';
import { uninterruptedImport } from '#platform/threads';
import { AccountHistories } from './account-histories.ts';
import type {
  ChainAddress,
  EdgeRow,
  FoundViolation,
  RunVerdicts,
  SealedRun,
  TelemetryOpening,
  VerifiedRun,
  VerifyOrder,
} from './telemetry-messages.ts';

const US_PER_MS = 1_000;
/** Maximum number of violations of each check that are stored in the files. */
const VIOLATIONS_KEPT = 1_000;

/**
 * The telemetry of one run: writes batches to files, and passes them to the oracle. Reopening
 * a run replays all stored batches to the oracle.
 */
export class JudgedTelemetry {
  readonly #disk: Disk;
  readonly #opening: TelemetryOpening;
  readonly #onViolation: (check: Check) => void;
  readonly #instances = new Map<string, EdgeInstance>();
  readonly #oracle: OracleFold;
  #found: FoundViolation[] = [];
  readonly #kinds: Record<Check, Record<string, number>> = { nonce: {}, balance: {}, gas: {} };
  #verified: VerifiedRun | undefined;
  #writer: TelemetryWriter | undefined;

  /** @param onViolation called for each violation of a check that the scenario enables. */
  static async open(
    disk: Disk,
    opening: TelemetryOpening,
    onViolation: (check: Check) => void,
  ): Promise<JudgedTelemetry> {
    const telemetry = new JudgedTelemetry(disk, opening, onViolation);
    telemetry.#writer = await telemetry.#openWriter((edge, batches) => telemetry.#see(edge, batches));
    return telemetry;
  }

  private constructor(disk: Disk, opening: TelemetryOpening, onViolation: (check: Check) => void) {
    this.#disk = disk;
    this.#opening = opening;
    this.#onViolation = onViolation;
    this.#oracle = new OracleFold({
      accountCounts: new Map(opening.accountCounts),
      hasFeed: opening.hasFeed,
      mayBePaid: opening.mayBePaid,
      tips: opening.tips,
      onViolation: (violation) => this.#find(violation),
    });
  }

  async append(edge: EdgeInstance, seq: number, tables: Uint8Array): Promise<void> {
    await this.#open().append(edge, seq, tables);
  }

  /** The verdicts on all accepted batches; computed once. */
  async verify({ chain, outcomes }: VerifyOrder): Promise<VerifiedRun> {
    if (this.#verified !== undefined) return this.#verified;
    await this.#open().settled();
    const verdicts = this.#wanted(this.#oracle.conclude(new Map(outcomes)));
    if (chain !== null) await this.#locate(chain);
    const { seen, findings, kinds: drawn } = this.#oracle;
    this.#verified = { verdicts, seen: [...seen], kinds: this.#kinds, drawn, found: [...findings] };
    return this.#verified;
  }

  async seal(edges: readonly EdgeRow[]): Promise<SealedRun> {
    const rows = [...violationRows(this.#found, this.#instances), ...edgeRows(edges)];
    return { parts: await this.#open().seal(rows) };
  }

  async close(): Promise<void> {
    await this.#writer?.close();
    this.#writer = undefined;
  }

  #openWriter(
    onBatch: (edge: EdgeInstance, batches: readonly TableBatch[]) => void,
  ): Promise<TelemetryWriter> {
    const { directory, compression } = this.#opening;
    return TelemetryWriter.open({ disk: this.#disk, directory, compression, onBatch });
  }

  #open(): TelemetryWriter {
    assert(this.#writer !== undefined, 'the telemetry of the run is open');
    return this.#writer;
  }

  #see(edge: EdgeInstance, batches: readonly TableBatch[]): void {
    this.#instances.set(edge.edgeId, edge);
    this.#oracle.apply(edge.edgeId, batches);
  }

  #find(violation: Violation): void {
    const { check, kind } = violation;
    if (!this.#opening.checks.includes(check)) return;
    this.#kinds[check][kind] = (this.#kinds[check][kind] ?? 0) + 1;
    this.#onViolation(check);
    const kept = this.#found.filter((found) => found.violation.check === check).length;
    if (kept < VIOLATIONS_KEPT) this.#found.push({ violation, atUs: Date.now() * US_PER_MS });
  }

  /** Locates balance violations on the chain, which requires a second pass over the stored batches. */
  async #locate(chain: ChainAddress): Promise<void> {
    const histories = AccountHistories.ofViolations(this.#found.map(({ violation }) => violation));
    if (histories.isEmpty) return;
    await this.#open().close();
    this.#writer = await this.#openWriter((_edge, batches) => histories.apply(batches));
    await this.#writer.settled();
    // Loaded on demand: few runs need it, and it loads an HTTP client.
    const { locateViolations } = await uninterruptedImport(() => import('./locate-violations.ts'));
    this.#found = await locateViolations(this.#found, histories, chain);
  }

  #wanted(verdicts: Verdicts): RunVerdicts {
    const wanted = Object.entries(verdicts).filter(([check]) =>
      this.#opening.checks.some((own) => own === check),
    );
    return Object.fromEntries(wanted);
  }
}

/** The violations as rows of the edges that sent the transactions. */
function violationRows(
  found: readonly FoundViolation[],
  instances: ReadonlyMap<string, EdgeInstance>,
): readonly FinalRows[] {
  const byEdge = Map.groupBy(found, ({ violation }) => violation.edgeId);
  return Array.from(byEdge, ([edgeId, own]) => {
    const builder = new TableBuilder('violations');
    for (const one of own) builder.append(violationRow(one));
    const edge = instances.get(edgeId) ?? { edgeId, instanceId: '' };
    return { edge, batches: [builder.batch()] };
  });
}

/** One row for each edge instance. */
function edgeRows(rows: readonly EdgeRow[]): readonly FinalRows[] {
  return rows.map(({ edge, row }) => {
    const builder = new TableBuilder('edges');
    builder.append(row);
    return { edge, batches: [builder.batch()] };
  });
}

function violationRow({ violation, atUs }: FoundViolation): RowOf<'violations'> {
  const { check, kind, account, hash, nonce, blockNumber, expected, observed, receipt, calls, note } =
    violation;
  return {
    check,
    kind,
    account: fromHex(account),
    hash: hash === null ? null : fromHex(hash),
    nonce,
    block_number: blockNumber,
    expected,
    observed,
    receipt_json: receipt,
    calls_json: JSON.stringify(calls),
    at_us: atUs,
    note,
  };
}
