/** Tests a database against the requirements of a shared store, in a temporary schema. */
import { randomUUID } from 'node:crypto';
import type { DatabaseFacts } from '../database.ts';
import { findCheckSchemas, type FoundSchema } from './check-schema.ts';
import type { Check } from './check.ts';
import { CheckNodes, type CheckNodesOptions } from './check-nodes.ts';
import { CONFORMANCE } from './conformance.ts';
import { failed, type Finding } from './finding.ts';
import { ISOLATION } from './isolation.ts';
import { person } from './people.ts';
import { SOAK } from './soak.ts';
import type { Scene } from './traffic.ts';

const NODES = 3;

const CHECK_MS = 2_000;

const ROWS: readonly { readonly group: CheckedRow['group']; readonly check: Check }[] = [
  ...CONFORMANCE.map((check) => ({ group: 'conformance' as const, check })),
  ...ISOLATION.map((check) => ({ group: 'isolation' as const, check })),
  { group: 'soak', check: SOAK },
];

export const CHECK_IDS: readonly string[] = ROWS.map(({ check }) => check.id);

export interface StoreCheckOptions extends Omit<CheckNodesOptions, 'nodes'> {
  /** A subset of {@link CHECK_IDS}; default all. */
  readonly only?: readonly string[] | undefined;
  /** Duration of each anomaly check; default 2 s. */
  readonly checkMs?: number;
  readonly soakMs: number;
  /** Drops the schemas that killed checks have left. Default: only names them. */
  readonly dropLeftovers?: boolean;
  /** Ends the check early; the remaining checks are unknown. */
  readonly signal: AbortSignal;
  /** Receives the facts of the database once, and each row when it is known. */
  readonly onDatabase: (facts: CheckedDatabase) => Promise<void>;
  readonly onRow: (row: CheckedRow) => Promise<void>;
}

export interface CheckedDatabase extends DatabaseFacts {
  readonly schema: string;
  /** The schemas of other checks. */
  readonly others: readonly FoundSchema[];
}

export interface CheckedRow extends Finding, Pick<Check, 'id' | 'name'> {
  readonly group: 'conformance' | 'isolation' | 'soak';
}

/**
 * Throws STORE_UNAVAILABLE if the database is unreachable, does not permit a schema, or is configured to lose
 * acknowledged commits.
 */
export async function checkStore(options: StoreCheckOptions): Promise<void> {
  const { only, checkMs = CHECK_MS, soakMs, signal, onDatabase, onRow } = options;
  const others = await findCheckSchemas(options.address, { drop: options.dropLeftovers === true });
  const nodes = await CheckNodes.open({ ...options, nodes: NODES });
  try {
    await onDatabase({ ...nodes.facts, schema: nodes.schema, others });
    for (const { group, check } of ROWS) {
      if (only !== undefined && !only.includes(check.id)) continue;
      const ms = group === 'soak' ? soakMs : checkMs;
      const { id, name } = check;
      await onRow({ group, id, name, ...(await outcome(check, { nodes, ms, signal })) });
    }
  } finally {
    await nodes.close();
  }
}

async function outcome(check: Check, scene: Scene): Promise<Finding> {
  if (scene.signal.aborted) return NOT_BEGUN;
  const { dropped } = scene.nodes;
  const finding = await check.run(scene).catch((error: unknown) => unfinished(error, scene));
  const lost = scene.nodes.dropped - dropped;
  if (lost === 0) return finding;
  const violation = `batches were lost that had been published: nodes had to drop what they held, ${String(lost)} times`;
  return { ...finding, verdict: 'broken', violations: [violation, ...finding.violations] };
}

/**
 * A node whose batches were lost may at first only be unable to write. Each writes once more, so that it
 * compares what it holds with the log.
 */
async function unfinished(error: unknown, { nodes }: Scene): Promise<Finding> {
  const finding = failed(error);
  if (finding.verdict === 'broken') return finding;
  const entities = [person('after a failure', { at: randomUUID() })];
  const writes = nodes.all.map(({ graph }) => graph.write({ entities, relationships: [] }));
  const looks = [...(await Promise.allSettled(writes)), ...(await Promise.allSettled([nodes.caughtUp()]))];
  const findings = looks.flatMap((look) => (look.status === 'rejected' ? failed(look.reason) : []));
  return findings.find(({ verdict }) => verdict === 'broken') ?? finding;
}

const NOT_BEGUN: Finding = { verdict: 'unknown', seen: 'not begun', violations: [] };
