import { type AskedMoment, type Graph, parseMoment } from '#graph/engine';
import type { Scope } from '#graph/model';
import type { FindingsDiff, PastPolicies } from '#graph/policy';
import {
  type AskedSpan,
  type DiffService,
  DiffSpans,
  type RecordDiffReply,
  type RowDiffReply,
} from '#graph/query';
import type { HangUp } from '#platform/foundation';
import type { DiffAsked, FindingsDiffAsked, RowDiffAsked, SpanAsked } from './graph-answers.port.ts';

/** What differs between two moments, from the services of this process. */
export class HistoryAnswers {
  readonly #spans: DiffSpans;
  readonly #diffs: Pick<DiffService, 'records' | 'rows'>;
  readonly #past: Pick<PastPolicies, 'diff'>;

  constructor(
    graph: Pick<Graph, 'epoch' | 'history' | 'diff'>,
    diffs: Pick<DiffService, 'records' | 'rows'>,
    past: Pick<PastPolicies, 'diff'>,
  ) {
    this.#spans = new DiffSpans(graph);
    this.#diffs = diffs;
    this.#past = past;
  }

  async records({ type, limit, cursor, ...span }: DiffAsked, hangUp: HangUp): Promise<RecordDiffReply> {
    return this.#diffs.records({ ...momentsOf(span), type, limit, cursor }, hangUp);
  }

  async rows(
    { pql, params, limit, cursor, ...span }: RowDiffAsked,
    scope: Scope | undefined,
    hangUp: HangUp,
  ): Promise<RowDiffReply> {
    return this.#diffs.rows({ ...momentsOf(span), pql, params, limit, cursor, scope }, hangUp);
  }

  async findings({ rule_ids, frameworks, limit, ...span }: FindingsDiffAsked): Promise<FindingsDiff> {
    const moments = await this.#spans.resolve(momentsOf(span), 'findings');
    return this.#past.diff({ ruleIds: rule_ids, frameworks, limit }, moments);
  }
}

function momentsOf({ from, to }: SpanAsked): AskedSpan {
  return { from: momentOf(from, 'from'), to: momentOf(to, 'to') };
}

function momentOf(given: string | number | undefined, field: string): AskedMoment | undefined {
  return given === undefined ? undefined : parseMoment(given, field);
}
