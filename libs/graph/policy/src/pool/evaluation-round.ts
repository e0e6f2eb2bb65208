import type { Scope } from '#graph/model';
import { type Span, startSpan } from '#platform/observability';
import { failedOutcome } from '../evaluation/evaluate-rule.ts';
import type { RuleOutcome, RuleTask } from '../evaluation/outcome.ts';
import type { Order } from './evaluation-order.ts';
import { TaskClaims } from './task-claims.ts';

/** One run of the pool: the tasks, the snapshot, the claims of the threads and the outcomes. */
export class EvaluationRound {
  readonly #tasks: readonly RuleTask[];
  readonly #shared: unknown;
  readonly #scope: Scope | undefined;
  readonly #turns: Uint32Array;
  readonly #claims: TaskClaims;
  readonly #outcomes: (RuleOutcome | undefined)[];
  readonly #span: Span | undefined;

  /** `lastMs`: the duration of each rule's last run, by rule id. */
  constructor(
    tasks: readonly RuleTask[],
    shared: unknown,
    lastMs: ReadonlyMap<string, number>,
    scope?: Scope,
  ) {
    this.#tasks = tasks;
    this.#shared = shared;
    this.#scope = scope;
    this.#turns = longestFirst(tasks, lastMs);
    this.#claims = TaskClaims.of(tasks.length);
    this.#outcomes = tasks.map(() => undefined);
    this.#span = startSpan('rules.evaluate', { attributes: { 'rules.count': tasks.length } });
  }

  get hasNext(): boolean {
    return this.#claims.hasNext;
  }

  /** The outcomes in the order of the tasks. */
  get outcomes(): readonly RuleOutcome[] {
    return this.#outcomes.map((outcome) => outcome ?? failedOutcome('stopped before its evaluation', 0));
  }

  /** The longest time-out of the round. */
  get timeoutMs(): number {
    return this.#tasks.reduce((longest, { timeoutMs }) => Math.max(longest, timeoutMs), 0);
  }

  orderFor(thread: number): Order {
    return {
      thread,
      shared: this.#shared,
      scope: this.#scope,
      tasks: this.#tasks,
      turns: this.#turns,
      claims: this.#claims.buffer,
    };
  }

  note(task: number, outcome: RuleOutcome): void {
    this.#outcomes[task] = outcome;
    this.#trace(task, outcome);
  }

  /** Ends the round; no outcome may follow. */
  end(): void {
    this.#span?.end();
  }

  /** A thread has ended: fails the task it had claimed, or else the one it would have claimed next. */
  abandon(thread: number, why: string, durationMs: number): void {
    const claimed = this.#claims.claimedBy(thread).map((turn) => this.#turns[turn]);
    const open = claimed.filter((task) => task !== undefined && this.#outcomes[task] === undefined);
    const next = open.length > 0 ? open : [this.#turns[this.#claims.claim(thread) ?? Number.NaN]];
    for (const task of next) {
      if (task !== undefined) this.note(task, failedOutcome(`stopped: ${why}`, durationMs));
    }
  }

  /** Records the span afterwards, from the duration that the thread reports. */
  #trace(task: number, { status, violationCount, durationMs }: RuleOutcome): void {
    if (this.#span === undefined) return;
    const attributes = {
      'rule.id': this.#tasks[task]?.rule.id,
      'rule.status': status,
      'rule.violations': violationCount,
    };
    const span = startSpan('rule.evaluate', { parent: this.#span, attributes, startedMsAgo: durationMs });
    if (status === 'Error') span?.fail('rule_error');
    span?.end();
  }
}

/**
 * The numbers of the tasks, longest last run first, so that no thread is left with a long task when the
 * others are done. Rules without a previous run are first of all.
 */
function longestFirst(tasks: readonly RuleTask[], lastMs: ReadonlyMap<string, number>): Uint32Array {
  const expectedMs = tasks.map(({ rule }) => lastMs.get(rule.id) ?? Infinity);
  const msOf = (task: number): number => expectedMs[task] ?? Infinity;
  return Uint32Array.from(tasks.keys()).sort((a, b) => (msOf(a) === msOf(b) ? a - b : msOf(b) - msOf(a)));
}
