import {
  type Evaluation,
  EvaluationPool,
  type EvaluationRequest,
  evaluationThreads,
  Policies,
  readRuleFiles,
  type Rule,
  startEvaluationWorker,
  transientDocuments,
} from '#graph/policy';
import type { GraphSettings } from '../../settings.ts';
import { commandLog } from '../target/command-log.ts';
import { openGraph } from '../target/local-target.ts';

/** Evaluates the rules of a directory on an unlocked data directory; stores nothing. */
export async function evaluateDirectory(
  settings: GraphSettings,
  directory: string,
  request: EvaluationRequest,
): Promise<{ readonly evaluation: Evaluation; readonly rules: readonly Rule[] }> {
  const rules = await readRuleFiles(directory);
  const log = commandLog(settings);
  const graph = await openGraph(settings, log);
  const pool = new EvaluationPool({
    startWorker: startEvaluationWorker,
    threads: evaluationThreads(settings),
  });
  try {
    const policies = await Policies.open({
      documents: transientDocuments(graph.documents),
      evaluator: pool,
      graph,
      log,
      ruleTimeoutMs: settings.ruleTimeout,
    });
    policies.rules.setFileRules(rules);
    return { evaluation: await policies.evaluate(request), rules };
  } finally {
    await pool.close();
    await graph.close();
  }
}
