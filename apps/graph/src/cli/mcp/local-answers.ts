import { UNSHARED } from '#graph/engine';
import { createScheduler } from '#graph/execution';
import { type GraphAnswers, HistoryAnswers, ServiceAnswers } from '#graph/api/mcp';
import {
  EvaluationPool,
  evaluationThreads,
  PastPolicies,
  Policies,
  type PolicyDocuments,
  readRuleFiles,
  startEvaluationWorker,
} from '#graph/policy';
import { createQueryService, DiffService, SavedQueries } from '#graph/query';
import { SearchService } from '#graph/search';
import { NodeDisk } from '#platform/disk';
import { DomainError, Resources, systemClock } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { GraphSettings } from '../../settings.ts';
import { openGraph } from '../target/local-target.ts';

/** Answers, and the function that closes their source. */
export interface OpenAnswers {
  readonly answers: GraphAnswers;
  readonly close: () => Promise<void>;
}

/** The services over an unlocked data directory. Rules are evaluated on request. */
export async function openLocalAnswers(settings: GraphSettings, log: Log): Promise<OpenAnswers> {
  const resources = new Resources();
  return resources.closingOnFailure(async () => {
    const graph = await resources.open(
      () => openGraph(settings, log),
      (opened) => opened.close(),
    );
    const scheduler = createScheduler(settings, systemClock);
    const queries = createQueryService({ graph, settings, scheduler, clock: systemClock });
    resources.add(async () => queries.close());
    const threads = evaluationThreads(settings);
    const evaluator = new EvaluationPool({ startWorker: startEvaluationWorker, threads });
    resources.add(() => evaluator.close());
    const policies = await Policies.open({
      documents: readOnly(graph.documents),
      evaluator,
      graph,
      log,
      ruleTimeoutMs: settings.ruleTimeout,
    });
    resources.add(() => policies.idle());
    if (settings.rules !== '')
      policies.rules.setFileRules(await readRuleFiles(settings.rules, new NodeDisk()));
    const saved = await SavedQueries.open(readOnly(graph.documents), systemClock, log);
    const search = new SearchService(graph, scheduler, settings, systemClock);
    const diffs = new DiffService(graph, queries, scheduler, settings, systemClock);
    const past = new PastPolicies(policies, evaluator, graph, settings, systemClock);
    const history = new HistoryAnswers(graph, diffs, past);
    const answers = new ServiceAnswers(graph, queries, search, policies, saved, history);
    return { answers, close: () => resources.close() };
  });
}

/** A read-only view of the stored documents. */
function readOnly(documents: PolicyDocuments): PolicyDocuments {
  return {
    change: () => Promise.reject(new DomainError('NOT_SUPPORTED', 'this connection is read-only')),
    ...UNSHARED,
    get: (namespace, id) => documents.get(namespace, id),
    all: (namespace, idPrefix) => documents.all(namespace, idPrefix),
  };
}
