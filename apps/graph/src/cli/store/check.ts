import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  CHECK_IDS,
  type CheckedDatabase,
  type CheckedRow,
  checkStore,
  type FoundSchema,
  parseStoreAddress,
} from '#graph/cluster';
import { CommandFailure, EXIT, type Output } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { stopSignal } from '#platform/foundation';
import type { GraphSettings } from '../../settings.ts';
import type { CommandContext } from '../command-context.ts';
import { wholeNumberFrom } from '../whole-number.ts';

const SOAK_SECONDS = 30;
const SECOND_MS = 1_000;
const WIDTHS = { verdict: 7, id: 9, name: 46 };

const STANDBY: Readonly<Record<string, string>> = {
  true: 'yes',
  false: 'none, so the loss of its machine may lose the last writes',
};

const OTHERS: Readonly<Record<FoundSchema['state'], string>> = {
  running: 'of another check, which is running',
  left: 'left by a check that was killed: --drop-leftovers drops it',
  dropped: 'left by a check that was killed, and dropped',
  unknown: 'perhaps of another check: it has no readable mark, and is not dropped',
};

interface CheckFlags {
  readonly seconds: number;
  readonly only?: readonly string[];
  readonly format: 'table' | 'json';
  readonly dropLeftovers?: boolean;
}

export function addCheck(store: Command, context: CommandContext): void {
  store
    .command('check')
    .description('check whether a database meets the requirements of a shared store, in a temporary schema')
    .argument('<url>', 'postgres://user@host:port/database; password in PLEXUS_STORE_PASSWORD')
    .option('--seconds <n>', 'duration of the soak at the end', wholeNumberFrom(1), SOAK_SECONDS)
    .option('--only <ids>', `some of ${CHECK_IDS.join(', ')}`, checkIds)
    .option('--drop-leftovers', 'drop the schemas that killed checks have left')
    .addOption(
      new Option('--format <format>', 'form of the result').choices(['table', 'json']).default('table'),
    )
    .action((url: string, flags: CheckFlags, command: Command) =>
      check(context.output, context.settingsOf(command), { url, ...flags }),
    );
}

function checkIds(text: string): readonly string[] {
  const ids = text.split(',').map((id) => id.trim());
  const unknown = ids.find((id) => !CHECK_IDS.includes(id));
  if (unknown !== undefined) throw new InvalidArgumentError(`there is no check ${unknown}`);
  return ids;
}

/** Exits with 1 unless every check held: unknown does not count as held. */
async function check(
  output: Output,
  settings: GraphSettings,
  { url, seconds, only, format, dropLeftovers = false }: CheckFlags & { readonly url: string },
): Promise<void> {
  const rows: CheckedRow[] = [];
  let database: object = {};
  const print = (text: string): Promise<void> =>
    format === 'table' ? output.write(text) : Promise.resolve();
  await untilStopped((signal) =>
    checkStore({
      address: parseStoreAddress(url, settings.storePassword),
      disk: new NodeDisk(),
      directory: join(tmpdir(), `plexus-check-${randomUUID()}`),
      only,
      soakMs: seconds * SECOND_MS,
      dropLeftovers,
      signal,
      onDatabase: async (facts) => {
        database = databaseFields(facts);
        await print(databaseText(facts));
      },
      onRow: async (row) => {
        await print(rowText(row, rows.at(-1)));
        rows.push(row);
      },
    }),
  );
  const counts = countsOf(rows);
  if (format === 'json') await output.line(JSON.stringify({ database, checks: rows, counts }, null, 2));
  await print(
    `\n${String(counts.held)} held, ${String(counts.broken)} broken, ${String(counts.unknown)} unknown\n`,
  );
  if (counts.held < rows.length) throw new CommandFailure(EXIT.failed);
}

/** A signal ends the check in order, so that its schema is dropped. */
async function untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = stopSignal();
  const ended = new AbortController();
  void stop.promise.then(() => {
    ended.abort();
  });
  try {
    await work(ended.signal);
  } finally {
    stop.close();
  }
}

function databaseFields(facts: CheckedDatabase): object {
  return {
    version: facts.version,
    host: facts.host,
    schema: facts.schema,
    other_schemas: facts.others,
    fsync: facts.fsync ?? null,
    synchronous_commit: facts.synchronousCommit ?? null,
    synchronous_standby: facts.hasSynchronousStandby ?? null,
    notify: facts.isTold,
    clock_ahead_ms: facts.clockAheadMs,
  };
}

function databaseText(facts: CheckedDatabase): string {
  const { version, host, schema, fsync = 'unknown', isTold, clockAheadMs } = facts;
  return [
    version,
    `at ${host}, in a schema of its own, ${schema}`,
    ...facts.others.map((other) => `${other.schema}: ${OTHERS[other.state]}`),
    `fsync: ${fsync}${fsync === 'off' ? ', so a crash of its machine may lose the store' : ''}`,
    `synchronous_commit: ${facts.synchronousCommit ?? 'unknown'}`,
    `synchronous standby: ${STANDBY[String(facts.hasSynchronousStandby)] ?? 'unknown'}`,
    `news: ${isTold ? 'by NOTIFY' : 'none; nodes poll 20 times a second'}`,
    `clock: ${String(Math.abs(clockAheadMs))} ms ${clockAheadMs < 0 ? 'behind' : 'ahead of'} this machine's\n`,
  ].join('\n');
}

function rowText({ group, id, name, verdict, seen, violations }: CheckedRow, last?: CheckedRow): string {
  const columns = [verdict.padEnd(WIDTHS.verdict), id.padEnd(WIDTHS.id), name.padEnd(WIDTHS.name), seen];
  return [
    ...(group === last?.group ? [] : ['', TITLES[group]]),
    `  ${columns.join('  ')}`,
    ...violations.map((violation) => `  ${' '.repeat(WIDTHS.verdict)}  ! ${violation}`),
    '',
  ].join('\n');
}

const TITLES: Readonly<Record<CheckedRow['group'], string>> = {
  conformance: 'Conformance: several nodes answer as one does',
  isolation: "Isolation: the anomalies of LDBC's ACID tests",
  soak: 'Soak: writers and readers on all nodes',
};

function countsOf(rows: readonly CheckedRow[]): Readonly<Record<CheckedRow['verdict'], number>> {
  const count = (verdict: CheckedRow['verdict']): number =>
    rows.filter((row) => row.verdict === verdict).length;
  return { held: count('held'), broken: count('broken'), unknown: count('unknown') };
}
