import type { Warning } from '#graph/model';
import { bind } from '../binder/bind.ts';
import type { BoundQuery } from '../binder/bound-query.ts';
import { parse } from '../parser/parser.ts';
import { Constants } from '../plan/constants.ts';
import { QueryNames, type Vocabulary } from '../plan/data-warnings.ts';
import { checkSize, plan, type Plan } from '../plan/plan.ts';
import type { ReaderStatistics } from '../plan/statistics.ts';
import type { GraphReader } from '../value/graph-reader.port.ts';
import { ParameterValues, type QueryParameters } from '../value/parameters.ts';
import type { TextWork } from '../value/text-work.ts';

/** A query's text, read once: what it takes to plan it for a snapshot. */
export class PreparedQuery {
  readonly text: string;
  readonly bound: BoundQuery;
  readonly #names: QueryNames;
  /** Whether no part of the answer hangs on the time of the run. */
  readonly isTimeless: boolean;
  readonly #isConstant: boolean;
  #last: LastPlan | undefined;
  #lastNames: NameWarnings | undefined;

  /** Throws PQL_SYNTAX. */
  constructor(text: string) {
    this.text = text;
    this.bound = bind(parse(text), text);
    checkSize(this.bound);
    this.#names = new QueryNames(this.bound);
    this.isTimeless = !/\bnow\b/i.test(text);
    this.#isConstant = this.bound.parameters.length === 0 && this.isTimeless;
  }

  /**
   * Without parameters, NOW and tests that count their work, the plan and warnings for one state of the data
   * are made once.
   */
  plan(request: PlanRequest): { readonly plan: Plan; readonly warnings: readonly Warning[] } {
    const key = request.isPlannerOff ? undefined : stateKey(request.reader);
    if (this.#last !== undefined && this.#last.key === key) return this.#last;
    const planned = this.#planned(request, key);
    if (this.#isConstant && key !== undefined && !request.text.isUsed) this.#last = { key, ...planned };
    return planned;
  }

  #planned(request: PlanRequest, key: string | undefined): Omit<LastPlan, 'key'> {
    const { reader, statistics, parameters, nowMs, isPlannerOff, text } = request;
    const values = new ParameterValues(parameters);
    values.require(this.bound.parameters.map((parameter) => parameter.name));
    const made = plan(this.bound, new Constants(values, nowMs, text), { statistics, isOff: isPlannerOff });
    const warnings = [
      ...this.bound.warnings,
      ...this.#nameWarnings(request, key),
      ...this.#names.mismatches(reader, made.checks),
    ];
    return { plan: made, warnings };
  }

  /** What is odd about names hangs on no parameter: it is found once for one state of the data. */
  #nameWarnings({ reader, vocabulary }: PlanRequest, key: string | undefined): readonly Warning[] {
    if (key !== undefined && this.#lastNames?.key === key) return this.#lastNames.warnings;
    const warnings = this.#names.warnings(reader, vocabulary);
    if (key !== undefined) this.#lastNames = { key, warnings };
    return warnings;
  }
}

interface NameWarnings {
  readonly key: string;
  readonly warnings: readonly Warning[];
}

interface LastPlan {
  readonly key: string;
  readonly plan: Plan;
  readonly warnings: readonly Warning[];
}

export interface PlanRequest {
  readonly reader: GraphReader;
  readonly statistics: ReaderStatistics;
  readonly vocabulary: Vocabulary;
  readonly parameters: QueryParameters | undefined;
  readonly nowMs: number;
  readonly isPlannerOff: boolean;
  readonly text: TextWork;
}

const EVERYTHING = { names: '*' } as const;

/** Equal for snapshots of one graph with equal data (with or without deleted entities). */
function stateKey(reader: GraphReader): string {
  return `${String(reader.snapshotVersion)} ${String(reader.linkBound)} ${String(reader.estimate(EVERYTHING))}`;
}
