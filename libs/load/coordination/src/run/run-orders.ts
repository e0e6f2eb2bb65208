import { assertDisjoint } from '../edge/account-partition.ts';
import type { EdgeSessions } from '../edge/edge-sessions.ts';
import type { EdgeRegistry } from '../edge/edge-registry.ts';
import { shareOut } from './edge-plans.ts';
import type { Participant, RunData } from './run-data.ts';

/** Why an edge cannot have the plan that it should have. */
export interface PlanRefusal {
  readonly edgeId: string;
  readonly instanceId: string;
  readonly revision: number;
  readonly code: string;
  readonly reason: string;
}

export interface RunOrdersParts {
  readonly runData: RunData;
  readonly registry: EdgeRegistry;
  readonly sessions: EdgeSessions;
  readonly funderAddress: string;
  readonly onRefusal: (refusal: PlanRefusal) => void;
}

/** Tells edges what to do. Plans wait a little, so that edges that come together are shared out once. */
export class RunOrders {
  readonly #runData: RunData;
  readonly #registry: EdgeRegistry;
  readonly #sessions: EdgeSessions;
  readonly #funderAddress: string;
  readonly #onRefusal: (refusal: PlanRefusal) => void;
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #plans: { readonly revision: number; readonly byEdge: ReadonlyMap<string, string | undefined> } | undefined;

  constructor({ runData, registry, sessions, funderAddress, onRefusal }: RunOrdersParts) {
    this.#runData = runData;
    this.#registry = registry;
    this.#sessions = sessions;
    this.#funderAddress = funderAddress;
    this.#onRefusal = onRefusal;
  }

  prepare(edgeIds: readonly string[], afterMs: number): void {
    for (const edgeId of edgeIds) this.#waiting.add(edgeId);
    this.#timer ??= setTimeout(() => this.#prepareNow(), afterMs);
  }

  makeReady(edgeIds: readonly string[]): void {
    for (const edgeId of edgeIds) this.#sessions.channel(edgeId)?.makeReady(this.#runData.runId);
  }

  start(edgeIds: readonly string[]): void {
    const { runId, startedAtUs } = this.#runData;
    for (const edgeId of edgeIds) this.#sessions.channel(edgeId)?.start(runId, startedAtUs ?? 0);
  }

  stop(edgeIds: readonly string[], isAbort: boolean, reason: string): void {
    for (const edgeId of edgeIds) this.#sessions.channel(edgeId)?.stop(this.#runData.runId, isAbort, reason);
  }

  /** Two edges with one account would send with the same nonces. */
  assertSound(): void {
    const partitions = Array.from(this.#runData.participants.values(), ({ partition }) => partition);
    assertDisjoint(partitions, this.#runData.scenario.accounts.count);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #prepareNow(): void {
    this.#timer = undefined;
    const { runId, state } = this.#runData;
    if (state.phase !== 'awaiting_acks') return;
    const { revision, byEdge } = this.#plansNow();
    for (const { edgeId, instanceId } of state.members.filter((member) =>
      this.#waiting.delete(member.edgeId),
    )) {
      const channel = this.#sessions.channel(edgeId);
      const planJson = byEdge.get(edgeId);
      const refusal = refusalOf(planJson, channel?.certificateFault());
      if (refusal !== undefined) this.#onRefusal({ edgeId, instanceId, revision, ...refusal });
      else channel?.prepare({ runId, revision, planJson: planJson ?? '' });
    }
    this.#waiting.clear();
  }

  /** Made once a revision. */
  #plansNow(): { readonly revision: number; readonly byEdge: ReadonlyMap<string, string | undefined> } {
    const { runId, scenario, randomSeed, state } = this.#runData;
    if (this.#plans?.revision === state.revision) return this.#plans;
    const facts = { runId, scenario, randomSeed, funderAddress: this.#funderAddress };
    const shares = shareOut(
      facts,
      state.members.map(({ edgeId }) => edgeId),
    );
    const participants = shares.flatMap(({ partition }): [string, Participant][] => {
      const registration = this.#registry.get(partition.edgeId);
      return registration === undefined ? [] : [[partition.edgeId, { registration, partition }]];
    });
    this.#runData.participants = new Map(participants);
    const plans = shares.map(({ partition, plan }) => {
      return [partition.edgeId, plan === undefined ? undefined : JSON.stringify(plan)] as const;
    });
    this.#plans = { revision: state.revision, byEdge: new Map(plans) };
    return this.#plans;
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
