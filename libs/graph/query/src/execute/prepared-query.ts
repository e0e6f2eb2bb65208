import type { Warning } from '#graph/model';
import { bind } from '../binder/bind.ts';
import type { BoundQuery } from '../binder/bound-query.ts';
import { parse } from '../parser/parser.ts';
import { Constants } from '../plan/constants.ts';
import { type KnownKinds, QueryNames, type Vocabulary } from '../plan/data-warnings.ts';
import { checkSize, plan, type Plan } from '../plan/plan.ts';
import { PlanTemplates } from '../plan/plan-templates.ts';
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
  #known: KnownState | undefined;

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
   * are made once; else what of them does not hang on a parameter.
   */
  plan(request: PlanRequest): PlanAndWarnings {
    if (request.isPlannerOff) return this.#planned(request, new KnownState(request.reader));
    if (this.#known?.isOf(request.reader) !== true) this.#known = new KnownState(request.reader);
    const known = this.#known;
    if (known.whole !== undefined) return known.whole;
    const planned = this.#planned(request, known);
    if (this.#isConstant && !request.text.isUsed) known.whole = planned;
    return planned;
  }

  #planned(request: PlanRequest, known: KnownState): PlanAndWarnings {
    const { statistics, vocabulary, parameters, nowMs, isPlannerOff, text, reader } = request;
    const values = new ParameterValues(parameters);
    values.require(this.bound.parameters.map((parameter) => parameter.name));
    // What EXPLAIN and PROFILE show are the estimates of this run.
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

/** What is known of a query over one state of the data, whatever the parameters. Holds no reader. */
class KnownState {
  readonly templates = new PlanTemplates();
  readonly kinds: KnownKinds = new Map();
  nameWarnings: readonly Warning[] | undefined;
  whole: PlanAndWarnings | undefined;
  readonly #version: number;
  readonly #linkBound: number;
  readonly #nodes: number;

  constructor(reader: GraphReader) {
    this.#version = reader.snapshotVersion;
    this.#linkBound = reader.linkBound;
    this.#nodes = reader.estimate(EVERYTHING);
  }

  /** Equal for snapshots of one graph with equal data (with or without deleted entities). */
  isOf(reader: GraphReader): boolean {
    return (
      reader.snapshotVersion === this.#version &&
      reader.linkBound === this.#linkBound &&
      reader.estimate(EVERYTHING) === this.#nodes
    );
  }
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
