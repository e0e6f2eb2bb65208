import {
  BoundedMap,
  DataState,
  type GraphReader,
  PlanTemplates,
  type ReaderStatistics,
} from '#graph/execution';
import type { Warning } from '#graph/model';
import { bind } from '../../binder/bind.ts';
import type { BoundQuery } from '../../binder/bound-query.ts';
import { parse } from '../../parser/parser.ts';
import { Constants } from '../../plan/constants.ts';
import { type KnownKinds, QueryNames, type Vocabulary } from '../../plan/data-warnings.ts';
import { checkSize, plan, type Plan } from '../../plan/plan.ts';
import { ParameterValues, type QueryParameters } from '../../value/parameters.ts';
import type { TextWork } from '../../value/text-work.ts';

/** A plan takes 1 to 2 KB. */
const KEPT_PLANS_MAX = 64;

/** A parsed and bound query, ready to be planned for a snapshot. */
export class PreparedQuery {
  readonly text: string;
  readonly bound: BoundQuery;
  readonly #names: QueryNames;
  readonly #parameters: readonly string[];
  /** Whether the result is independent of the time of the run. */
  readonly isTimeless: boolean;
  #known: KnownState | undefined;

  /** Throws PQL_SYNTAX. */
  constructor(text: string) {
    this.text = text;
    this.bound = bind(parse(text), text);
    checkSize(this.bound);
    this.#names = new QueryNames(this.bound);
    this.isTimeless = !/\bnow\b/i.test(text);
    this.#parameters = this.bound.parameters.map(({ name }) => name);
  }

  /**
   * The plan and its warnings. Those of a query without NOW, and without tests that count their work, are
   * cached per state of the data and parameter values; of others, only parts independent of parameters.
   */
  plan(request: PlanRequest): PlanAndWarnings {
    const values = new ParameterValues(request.parameters);
    if (request.isPlannerOff) return this.#planned(request, values, new KnownState(request.reader));
    if (this.#known?.isOf(request.reader) !== true) this.#known = new KnownState(request.reader);
    const known = this.#known;
    const key = this.isTimeless ? values.keyOf(this.#parameters) : undefined;
    const kept = key === undefined ? undefined : known.plans.get(key);
    if (kept !== undefined) return kept;
    const planned = this.#planned(request, values, known);
    if (key !== undefined && !request.text.isUsed) known.plans.set(key, planned);
    return planned;
  }

  #planned(request: PlanRequest, values: ParameterValues, known: KnownState): PlanAndWarnings {
    const { statistics, vocabulary, nowMs, isPlannerOff, text, reader } = request;
    values.require(this.#parameters);
    // EXPLAIN and PROFILE show the estimates of this run.
    const templates = this.bound.mode === 'run' && !isPlannerOff ? known.templates : undefined;
    const options = { statistics, isOff: isPlannerOff, templates };
    const made = plan(this.bound, new Constants(values, nowMs, text), options);
    known.nameWarnings ??= [...this.bound.warnings, ...this.#names.warnings(reader, vocabulary)];
    const mismatches = this.#names.mismatches(reader, made.checks, known.kinds);
    return {
      plan: made,
      warnings: mismatches.length === 0 ? known.nameWarnings : [...known.nameWarnings, ...mismatches],
    };
  }
}

interface PlanAndWarnings {
  readonly plan: Plan;
  readonly warnings: readonly Warning[];
}

/** Cached plans of a query for one state of the data. */
class KnownState extends DataState {
  /** Plans by the values of the parameters. */
  readonly plans = new BoundedMap<PlanAndWarnings>(KEPT_PLANS_MAX);
  readonly templates = new PlanTemplates();
  readonly kinds: KnownKinds = new Map();
  nameWarnings: readonly Warning[] | undefined;
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
