import { dirname, relative, resolve, sep } from 'node:path';
import {
  type Evaluation,
  EvaluationPool,
  type EvaluationRequest,
  evaluationThreads,
  type PlacedRule,
  Policies,
  type PolicyDocuments,
  type PolicyGraph,
  readPlacedRules,
  startEvaluationWorker,
  transientDocuments,
} from '#graph/policy';
import type { AskedMoment, Graph } from '#graph/engine';
import { type Disk, NodeDisk } from '#platform/disk';
import type { GraphSettings } from '../../settings.ts';
import { commandLog } from '../target/command-log.ts';
import { openGraph } from '../target/local-target.ts';
import type { DescribedRule } from './evaluation-report.ts';

/** Evaluates a directory of rules on an unlocked data directory, now or as of a moment; stores nothing. */
export async function evaluateDirectory(
  settings: GraphSettings,
  directory: string,
  request: EvaluationRequest,
  asOf?: AskedMoment,
): Promise<{ readonly evaluation: Evaluation; readonly rules: readonly DescribedRule[] }> {
  const disk = new NodeDisk();
  const rules = await readPlacedRules(directory, disk);
  const log = commandLog(settings);
  const graph = await openGraph(settings, log);
  const pool = new EvaluationPool({
    startWorker: startEvaluationWorker,
    threads: evaluationThreads(settings),
  });
  try {
    const policies = await Policies.open({
      documents: transientDocuments(asOf === undefined ? graph.documents : NO_DOCUMENTS),
      evaluator: pool,
      graph: asOf === undefined ? graph : await graphAsOf(graph, asOf),
      log,
      ruleTimeoutMs: settings.ruleTimeout,
    });
    policies.rules.setFileRules(rules.map(({ rule }) => rule));
    const evaluation = await policies.evaluate(request);
    const root = await sourceRoot(directory, disk);
    return { evaluation, rules: rules.map((placed) => describedRule(placed, root)) };
  } finally {
    await pool.close();
    await graph.close();
  }
}

/** What evaluations have found since then is not known at the moment. */
const NO_DOCUMENTS: Pick<PolicyDocuments, 'get' | 'all'> = {
  get: () => Promise.resolve(undefined),
  async *all() {
    // There are none.
  },
};

async function graphAsOf(graph: Graph, asked: AskedMoment): Promise<PolicyGraph> {
  const snapshot = await graph.history.snapshot(graph.history.momentOf(asked));
  return { changedVersion: snapshot.snapshotVersion, changes: graph.changes, snapshot: () => snapshot };
}

/** The repository that contains the directory; the current directory if none does. */
async function sourceRoot(directory: string, disk: Disk): Promise<string> {
  for (let at = resolve(directory); ; at = dirname(at)) {
    // A directory, or the file of a linked work tree. A parent may be unreadable.
    const lists = [disk.list(at), disk.listDirectories(at)].map((names) => names.catch(() => []));
    if ((await Promise.all(lists)).flat().includes('.git')) return at;
    if (at === dirname(at)) return process.cwd();
  }
}

/** A file outside the root has no place that means something elsewhere. */
function describedRule({ rule, file, place }: PlacedRule, root: string): DescribedRule {
  const parts = relative(root, resolve(file)).split(sep);
  if (parts[0] === '..' || parts[0] === '') return rule;
  return { ...rule, place: { path: parts.join('/'), ...place } };
}
