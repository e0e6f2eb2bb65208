import type { PhaseTrace } from '#platform/observability';
import { assertDisjoint } from '../edge/account-partition.ts';
import type { EdgeSessions } from '../edge/edge-sessions.ts';
import { shareOut } from './edge-plans.ts';
import type { Run } from './run.ts';
import type { NumberedChange, Participant } from './run-event.ts';

/** The plans of one revision by edge, as JSON; undefined for an edge without accounts or users. */
interface Plans {
  readonly revision: number;
  readonly byEdge: ReadonlyMap<string, string | undefined>;
}

/** Sends the orders of a run to its edges: prepare, make ready, start, stop. */
export class EdgeOrders {
  readonly #run: Run;
  readonly #sessions: EdgeSessions;
  readonly #funderAddress: string | null;
  /** Delay of the plans in ms, so that edges that register together are planned once. */
  readonly #planMs: number;
  /** The trace to which the spans of the edges belong. */
  readonly #trace: Pick<PhaseTrace, 'traceparent'>;
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #plans: Plans | undefined;

  constructor(
    run: Run,
    sessions: EdgeSessions,
    funderAddress: string | null,
    planMs: number,
    trace: Pick<PhaseTrace, 'traceparent'>,
  ) {
    this.#run = run;
    this.#sessions = sessions;
    this.#funderAddress = funderAddress;
    this.#planMs = planMs;
    this.#trace = trace;
  }

  prepare(edgeIds: readonly string[]): void {
    for (const edgeId of edgeIds) this.#waiting.add(edgeId);
    this.#timer ??= setTimeout(() => this.#prepareNow(), this.#planMs);
  }

  makeReady(edgeIds: readonly string[]): void {
    const { runId, facts } = this.#run;
    const setup = facts.made === null ? '' : JSON.stringify(facts.made.setup);
    for (const edgeId of edgeIds) this.#sessions.channel(edgeId)?.makeReady(runId, setup);
  }

  start(edgeIds: readonly string[]): void {
    const { runId, facts } = this.#run;
    for (const edgeId of edgeIds) this.#sessions.channel(edgeId)?.start(runId, facts.startedAtUs ?? 0);
    for (const [at, change] of facts.rates.entries()) this.changeRate(edgeIds, { number: at + 1, ...change });
  }

  /**
   * Orders each edge its share, of as many as the stages were divided among. A reconnected edge gets every
   * change with its start order.
   */
  changeRate(edgeIds: readonly string[], { number, atMs, rate }: NumberedChange): void {
    const { runId, state } = this.#run;
    const order = { runId, number, atMs, rate: rate / state.members.length };
    for (const edgeId of edgeIds) this.#sessions.channel(edgeId)?.changeRate(order);
  }

  stop(edgeIds: readonly string[], isAbort: boolean, reason: string): void {
    for (const edgeId of edgeIds) this.#sessions.channel(edgeId)?.stop(this.#run.runId, isAbort, reason);
  }

  /** Asserts disjoint partitions: two edges that share an account would send the same nonces. */
  assertSound(): void {
    const partitions = Array.from(this.#run.facts.participants.values(), ({ partition }) => partition);
    assertDisjoint(partitions, this.#run.accounts);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #prepareNow(): void {
    this.#timer = undefined;
    const { runId, state } = this.#run;
    if (state.phase !== 'awaiting_acks') return;
    const { revision, byEdge } = this.#plansNow();
    const asked = state.members.filter(({ edgeId }) => this.#waiting.delete(edgeId));
    for (const { edgeId, instanceId } of asked) {
      const channel = this.#sessions.channel(edgeId);
      const planJson = byEdge.get(edgeId);
      const refusal = refusalOf(planJson, channel?.certificateFault());
      if (refusal !== undefined)
        this.#run.happened({ type: 'nacked', edgeId, instanceId, revision, ...refusal });
      else channel?.prepare({ runId, revision, planJson: planJson ?? '', traceparent: this.#traceparent });
    }
    this.#waiting.clear();
  }

  /** Empty without tracing. */
  get #traceparent(): string {
    return this.#trace.traceparent ?? '';
  }

  /** The plans of the current revision, built once. */
  #plansNow(): Plans {
    const { runId, scenario, randomSeed, firstAccount, state } = this.#run;
    const { revision, members } = state;
    if (this.#plans?.revision === revision) return this.#plans;
    const facts = { runId, scenario, randomSeed, firstAccount, funderAddress: this.#funderAddress };
    const shares = shareOut(
      facts,
      members.map(({ edgeId }) => edgeId),
    );
    const participants = shares.flatMap(({ partition }): [string, Participant][] => {
      const registration = this.#sessions.registry.get(partition.edgeId);
      return registration === undefined ? [] : [[partition.edgeId, { registration, partition }]];
    });
    this.#run.learned({ type: 'shared_out', participants: new Map(participants) });
    const plans = shares.map(({ partition, plan }) => {
      return [partition.edgeId, plan === undefined ? undefined : JSON.stringify(plan)] as const;
    });
    return (this.#plans = { revision, byEdge: new Map(plans) });
  }
}

function refusalOf(
  planJson: string | undefined,
  certificateFault: string | undefined,
): { readonly code: string; readonly reason: string } | undefined {
  if (certificateFault !== undefined) return { code: 'certificate_invalid', reason: certificateFault };
  if (planJson !== undefined) return undefined;
  return { code: 'nothing_to_do', reason: 'there are more edges than accounts or users' };
}
