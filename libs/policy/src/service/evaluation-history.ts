import { DomainError } from '#foundation';
import type { EvaluationSummary, LastRun, PastEvaluation } from './evaluation.ts';
import { EVALUATION_PREFIX, LAST_RUN_PREFIX, NAMESPACE } from './keys.ts';
import type { PolicyDocument, PolicyDocuments } from './policy-ports.ts';

/** So many evaluations are kept. */
export const EVALUATIONS_MAX = 100;

/** The last evaluations, and each rule's last run. */
export class EvaluationHistory {
  readonly #documents: PolicyDocuments;
  readonly #lastRuns = new Map<string, LastRun>();
  /** Oldest first. */
  #summaries: readonly EvaluationSummary[] = [];

  constructor(documents: PolicyDocuments) {
    this.#documents = documents;
  }

  async load(): Promise<void> {
    for await (const { id, value } of this.#documents.all(NAMESPACE, LAST_RUN_PREFIX)) {
      this.#lastRuns.set(id.slice(LAST_RUN_PREFIX.length), value as LastRun);
    }
    const summaries: EvaluationSummary[] = [];
    for await (const { value } of this.#documents.all(NAMESPACE, EVALUATION_PREFIX)) {
      summaries.push(summaryOf(value as PastEvaluation));
    }
    this.#summaries = summaries;
  }

  lastRun(ruleId: string): LastRun | undefined {
    return this.#lastRuns.get(ruleId);
  }

  forget(ruleId: string): void {
    this.#lastRuns.delete(ruleId);
  }

  /** Newest first. */
  list(): readonly EvaluationSummary[] {
    return this.#summaries.toReversed();
  }

  async get(id: string): Promise<PastEvaluation> {
    const isKnown = this.#summaries.some(({ evaluation_id: known }) => known === id);
    const found = isKnown ? await this.#documents.get(NAMESPACE, EVALUATION_PREFIX + id) : undefined;
    if (found === undefined) throw new DomainError('NOT_FOUND', 'no such evaluation', { details: { id } });
    return found as PastEvaluation;
  }

  /** Stores an evaluation, the runs it stands for, and `changes`, in one batch. */
  async add(
    evaluation: PastEvaluation,
    lastRuns: ReadonlyMap<string, LastRun>,
    changes: readonly PolicyDocument[],
  ): Promise<void> {
    const summaries = [...this.#summaries, summaryOf(evaluation)];
    const dropped = summaries.slice(0, Math.max(0, summaries.length - EVALUATIONS_MAX));
    await this.#documents.change(NAMESPACE, [
      ...changes,
      ...Array.from(lastRuns, ([id, value]) => ({ id: LAST_RUN_PREFIX + id, value })),
      { id: EVALUATION_PREFIX + evaluation.evaluation_id, value: evaluation },
      ...dropped.map(({ evaluation_id: id }) => ({ id: EVALUATION_PREFIX + id, value: undefined })),
    ]);
    this.#summaries = summaries.slice(dropped.length);
    for (const [id, run] of lastRuns) this.#lastRuns.set(id, run);
  }
}

function summaryOf(evaluation: PastEvaluation): EvaluationSummary {
  const { results, ...summary } = evaluation;
  return { ...summary, total: results.length };
}
