/** Scores over time: one point for each evaluation except what-ifs; bounded, the oldest are dropped first. */
import { ALL_FRAMEWORKS, type Rule } from '../rule/rule.ts';
import type { EvaluationTrigger, LastRun } from './evaluation.ts';
import { NAMESPACE, type PolicyDocument, type PolicyDocuments, SCORE_PREFIX } from './policy-ports.ts';
import { type ScoredRule, type Score, scoreOf } from './posture.ts';

/** Maximum number of points, and of scores in all points: a point has one for each framework. */
const POINTS_MAX = 1_000;
const SCORES_MAX = 20_000;

/** Counts missing in points of earlier versions. */
const OLDER = { rules_waived: 0 } as const;

/** A score with counts, over all rules or the rules of a framework. */
export interface CountedScore extends Score {
  readonly pass_count: number;
  readonly fail_count: number;
  readonly error_count: number;
  /** Number of enabled rules without a last run that holds. */
  readonly not_evaluated_count: number;
}

/** The scores right after an evaluation. */
export interface ScorePoint {
  readonly evaluation_id: string;
  readonly at: string;
  readonly trigger: EvaluationTrigger;
  readonly snapshot_version: number;
  readonly all: CountedScore;
  readonly frameworks: Readonly<Record<string, CountedScore>>;
}

export interface ScoreHistory {
  /** `all` if none was requested. */
  readonly framework: string;
  readonly count: number;
  /** Oldest first. */
  readonly points: readonly (CountedScore & Omit<ScorePoint, 'all' | 'frameworks'>)[];
}

export class ScoreLog {
  /** Oldest first. */
  #points: readonly ScorePoint[] = [];

  async load(documents: PolicyDocuments): Promise<void> {
    const points: ScorePoint[] = [];
    for await (const { value } of documents.all(NAMESPACE, SCORE_PREFIX)) {
      points.push(value as ScorePoint);
    }
    this.#points = points;
  }

  /** The last `limit` points with a score of the framework, or of all rules. */
  history(framework: string = ALL_FRAMEWORKS, limit = POINTS_MAX): ScoreHistory {
    const points = this.#points.flatMap(({ all, frameworks, ...facts }) => {
      const score = framework === ALL_FRAMEWORKS ? all : ownValue(frameworks, framework);
      return score === undefined ? [] : [{ ...facts, ...OLDER, ...score }];
    });
    const shown = points.slice(-limit);
    return { framework, count: points.length, points: shown };
  }

  /** The documents that store a point; `keep` is to be called once they are durable, and makes it visible. */
  add(point: ScorePoint): { readonly documents: readonly PolicyDocument[]; readonly keep: () => void } {
    const points = [...this.#points, point];
    const dropped: ScorePoint[] = [];
    let scores = points.reduce((sum, each) => sum + sizeOf(each), 0);
    while (points.length > 1 && (points.length > POINTS_MAX || scores > SCORES_MAX)) {
      const oldest = points.shift();
      if (oldest === undefined) break;
      scores -= sizeOf(oldest);
      dropped.push(oldest);
    }
    const documents = [
      { id: SCORE_PREFIX + point.evaluation_id, value: point },
      ...dropped.map(({ evaluation_id: id }) => ({ id: SCORE_PREFIX + id, value: undefined })),
    ];
    return { documents, keep: () => (this.#points = points) };
  }
}

/** The scores of the last runs of the rules after an evaluation. */
export function scoresOf(
  rules: readonly Rule[],
  lastRun: (rule: Rule) => LastRun | undefined,
): Pick<ScorePoint, 'all' | 'frameworks'> {
  const runs = rules.map((rule) => ({ rule, lastRun: lastRun(rule) }));
  const byFramework = new Map<string, ScoredRule[]>();
  for (const run of runs) {
    for (const framework of new Set(run.rule.frameworks.map((control) => control.framework))) {
      const known = byFramework.get(framework);
      if (known === undefined) byFramework.set(framework, [run]);
      else known.push(run);
    }
  }
  const frameworks = Array.from(byFramework, ([name, own]) => [name, countedScore(own)] as const);
  return { all: countedScore(runs), frameworks: Object.fromEntries(frameworks) };
}

function countedScore(runs: readonly ScoredRule[]): CountedScore {
  const enabled = runs.filter(({ rule }) => rule.enabled);
  const count = (status: LastRun['status'] | undefined): number =>
    enabled.filter(({ lastRun }) => lastRun?.status === status).length;
  const score = scoreOf(runs);
  return {
    ...score,
    pass_count: count('Pass') - score.rules_waived,
    fail_count: count('Fail'),
    error_count: count('Error'),
    not_evaluated_count: count(undefined),
  };
}

function sizeOf({ frameworks }: ScorePoint): number {
  return 1 + Object.keys(frameworks).length;
}

function ownValue<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
