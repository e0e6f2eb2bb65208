import type { Check, SeenTransactions } from '#load/oracle';
import { type EdgeAnswer, type EdgeProgress, systemNowUs, type Tally, ZERO_TALLY } from '#load/protocol';
import type { RunFinding, RunNotSent } from '#load/report';
import {
  edgesNeeded,
  evaluateThresholds,
  type RunThreshold,
  type Scenario,
  type ThresholdOutcome,
  thresholdsOf,
} from '#load/scenario';
import type { AccountRange } from '../edge/account-partition.ts';
import { type EdgePart, partOf, type PlannedStage } from '../live/edge-part.ts';
import { feedContradictions, RunFigures } from '../live/run-figures.ts';
import { isEnded, type MemberEnd, newRunState, type RunState } from '../record/run-state.ts';
import { RunTimeline } from '../record/run-timeline.ts';
import { NO_KINDS, type RunVerdicts } from '../telemetry/telemetry-messages.ts';
import { rateFindings } from './rate-changes.ts';
import { type KnownFacts, NOTHING_KNOWN, type RunRemains } from './known-facts.ts';
import type { RunEffect, RunEvent, RunFact, LearnedFacts, RunTask } from './run-event.ts';
import { closingFindings, edgeFindings } from './run-findings.ts';
import { savingOf, stepRun } from './run-machine.ts';

const MS_PER_S = 1_000;
const US_PER_MS = 1_000;
const NOTHING_LEFT = { leftOut: 0, leftOutMeasured: 0 };
const NOTHING_SEEN: SeenTransactions = {
  sent: 0,
  notSent: 0,
  included: 0,
  rejected: 0,
  rejectedUnexpected: 0,
};

/** The initial values of a run. */
export interface RunBeginning {
  readonly runId: string;
  readonly scenario: Scenario;
  readonly randomSeed: number;
  readonly createdAtUs: number;
  /** The number of its first account; 0 unless another run uses those at the time. */
  readonly firstAccount?: number;
  /** Time from the start order to the first transaction. */
  readonly leadMs?: number;
}

/**
 * One run: its state, which the state machine changes, and all facts about it. Only events and facts change
 * it, synchronously. Work outside of the state is passed on as tasks (ADR 0202).
 */
export class Run {
  readonly runId: string;
  readonly scenario: Scenario;
  readonly randomSeed: number;
  readonly createdAtUs: number;
  readonly firstAccount: number;
  readonly thresholds: readonly RunThreshold[];
  readonly #leadMs: number;
  readonly #isRestored: boolean;
  #state: RunState;
  #facts: KnownFacts;
  /** The latest progress of each edge. */
  readonly #progress: Map<string, EdgeProgress>;
  #schedule: ReadonlyMap<string, readonly PlannedStage[]> | null = null;
  /** Transactions by edge, once the oracle has processed the telemetry. */
  #seen: ReadonlyMap<string, SeenTransactions> = new Map();
  #perform: ((tasks: readonly RunTask[]) => void) | undefined;
  #isFrozen = false;

  constructor(beginning: RunBeginning, remains?: RunRemains) {
    const { runId, scenario, randomSeed, createdAtUs, firstAccount = 0, leadMs = 0 } = beginning;
    this.runId = runId;
    this.scenario = scenario;
    this.randomSeed = randomSeed;
    this.createdAtUs = createdAtUs;
    this.firstAccount = firstAccount;
    this.thresholds = thresholdsOf(scenario);
    this.#leadMs = leadMs;
    const { ids: edgeIds, fail_on_edge_loss: failsOnEdgeLoss } = scenario.edges;
    const edgesMin = edgesNeeded(scenario.edges);
    this.#isRestored = remains !== undefined;
    this.#state = remains?.state ?? newRunState({ edgesMin, failsOnEdgeLoss, edgeIds });
    this.#progress = new Map(remains?.progress);
    const { rates, participants, clocks, findings } = remains ?? NOTHING_KNOWN;
    this.#facts = { ...NOTHING_KNOWN, rates, participants, clocks, findings };
    if (typeof remains?.startedAtUs === 'number') this.#startAt(remains.startedAtUs);
  }

  /** Sets the receiver of the tasks, called after each change with zero or more tasks. */
  connect(perform: (tasks: readonly RunTask[]) => void): void {
    this.#perform = perform;
  }

  /** Ignores all further events and facts, so that the next process finds the run unchanged. */
  freeze(): void {
    this.#isFrozen = true;
  }

  happened(event: RunEvent, nowUs = systemNowUs()): void {
    if (this.#isFrozen) return;
    const before = this.#state;
    const { state, effects } = stepRun(before, event);
    this.#state = state;
    const wanted = effects.flatMap((effect) => this.#note(effect, nowUs));
    const tasks = [...savingOf(before, state), ...wanted, ...endOf(before, state)];
    if (state !== before || tasks.length > 0) this.#perform?.(tasks);
  }

  learned(fact: RunFact, nowUs = systemNowUs()): void {
    if (this.#isFrozen) return;
    const learn = this.#learn[fact.type] as (learned: RunFact, atUs: number) => void;
    learn(fact, nowUs);
  }

  /** An edge's answer to its plan; answers to another run are ignored. */
  answered(
    edgeId: string,
    { runId, instanceId, revision }: EdgeAnswer,
    refusal: { readonly code: string; readonly reason: string } | undefined,
  ): void {
    if (runId !== this.runId) return;
    const answer = { edgeId, instanceId, revision };
    this.happened(
      refusal === undefined ? { type: 'acked', ...answer } : { type: 'nacked', ...answer, ...refusal },
    );
  }

  get state(): RunState {
    return this.#state;
  }

  /** All that is known of the run; replaced by the next fact, never changed. */
  get facts(): KnownFacts {
    return this.#facts;
  }

  /** Null before the oracle has processed all telemetry. */
  get verdicts(): RunVerdicts | null {
    return this.#facts.verified?.verdicts ?? null;
  }

  /** What an edge said about balances that it could not return; null if there are none. */
  get notReclaimed(): string | null {
    const said = this.#facts.verified?.found.map(([, kinds]) => kinds.get('not_reclaimed')) ?? [];
    const first = said.find((one) => one !== undefined);
    return first === undefined ? null : (first.sample ?? '');
  }

  /** Violations of a check by kind. */
  kindsOf(check: Check): Readonly<Record<string, number>> {
    return (this.#facts.verified?.kinds ?? NO_KINDS)[check];
  }

  /** All accounts of the run. */
  get accounts(): AccountRange {
    return { first: this.firstAccount, count: this.scenario.accounts.count };
  }

  /** The merged figures of the edges' latest progress. */
  figures(nowUs: number): RunFigures {
    const measuredMs = this.#facts.timeline?.measuredMs(Math.min(nowUs, this.#facts.endedAtUs ?? nowUs)) ?? 0;
    const said = this.#edgeIds().map((edgeId) => ({
      ...(this.#progress.get(edgeId) ?? this.#silence()),
      ...this.partOf(edgeId),
    }));
    return new RunFigures(said, {
      measuredSeconds: measuredMs / MS_PER_S,
      feedContradictions: feedContradictions(this.kindsOf('nonce')),
    });
  }

  /** An edge's transaction counts: its latest progress; after its end, also the transactions it left out. */
  partOf(edgeId: string): EdgePart {
    const { tally = ZERO_TALLY, measured = ZERO_TALLY } = this.#progress.get(edgeId) ?? {};
    const end = this.#endOf(edgeId);
    if (end === null && this.#facts.endedAtUs === null) return { tally, measured, ...NOTHING_LEFT };
    return partOf(
      { tally, measured },
      {
        lostSeen: end === 'done' ? null : (this.#seen.get(edgeId) ?? NOTHING_SEEN),
        schedule: this.#schedule?.get(edgeId) ?? null,
      },
    );
  }

  /** The latest progress of an edge. */
  progressOf(edgeId: string): EdgeProgress | undefined {
    return this.#progress.get(edgeId);
  }

  tallyOf(edgeId: string): Tally {
    return this.partOf(edgeId).tally;
  }

  /** The reasons for unsent transactions, most frequent first. */
  notSent(): readonly RunNotSent[] {
    const counts = new Map<string, number>();
    const add = (reason: string, count: number): void => {
      if (count > 0) counts.set(reason, (counts.get(reason) ?? 0) + count);
    };
    for (const edgeId of this.#edgeIds()) {
      const { tally, leftOut } = this.partOf(edgeId);
      add('late', tally.notSent - leftOut);
      add(this.#whyLeftOut(edgeId), leftOut);
    }
    return Array.from(counts, ([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count);
  }

  accountCounts(): readonly (readonly [string, number])[] {
    return Array.from(
      this.#facts.participants,
      ([edgeId, { partition }]) => [edgeId, partition.count] as const,
    );
  }

  readonly #learn: {
    readonly [Name in keyof LearnedFacts]: (fact: LearnedFacts[Name], nowUs: number) => void;
  } = {
    shared_out: ({ participants }) => {
      this.#know({ participants });
    },
    counted: (fact) => {
      this.#count(fact);
    },
    watched: ({ clocks, silent }) => {
      this.#know({ clocks: new Map([...this.#facts.clocks, ...clocks]), silent });
      this.#perform?.([]);
    },
    accounts_funded: ({ funded, count }) => {
      this.#know({ funded: { funded, count } });
    },
    cost_known: ({ mostWei }) => {
      this.#know({ mostWei });
    },
    contracts_made: ({ made }) => {
      this.#know({ made });
    },
    schedule_drawn: ({ schedule }) => (this.#schedule = schedule),
    violated: ({ counts }) => {
      this.#know({ violations: counts });
      if (this.scenario.oracle.on_violation === 'stop')
        this.happened({ type: 'load_cut', reason: 'oracle_violation' });
    },
    judged: ({ verified }) => {
      this.#know({ verified });
      this.#seen = new Map(verified.seen);
      for (const finding of edgeFindings(verified.found)) this.#find(finding);
    },
    measured: ({ outcomes }, nowUs) => {
      if (this.#facts.endedAtUs === null) this.#endMeasuring(nowUs, outcomes);
    },
    sealed: ({ parts }) => {
      this.#know({ parts });
    },
    found: ({ finding }) => {
      this.#find(finding);
    },
  };

  #count({ edgeId, instanceId, progress }: LearnedFacts['counted']): void {
    const { members } = this.#state;
    const member = members.find((one) => one.edgeId === edgeId && one.instanceId === instanceId);
    if (progress.runId !== this.runId || member === undefined || isEnded(this.#state)) return;
    this.#progress.set(edgeId, progress);
    const { phase, reason } = progress;
    if (phase !== member.phase) this.happened({ type: 'progressed', edgeId, instanceId, phase, reason });
  }

  #endMeasuring(nowUs: number, known?: readonly ThresholdOutcome[]): void {
    this.#know({ endedAtUs: nowUs });
    const figures = this.figures(nowUs);
    this.#know({ outcomes: known ?? this.#evaluated(figures) });
    if (known !== undefined) return;
    const closing = closingFindings({
      members: this.#facts.startedAtUs === null ? [] : this.#state.members,
      clocks: this.#facts.clocks,
      tally: figures.tally,
      notSent: this.notSent(),
      mix: this.scenario.mix,
      drawn: this.#facts.verified?.drawn ?? null,
    });
    const unapplied = rateFindings(this.#state.members, this.#facts.rates, (id) => this.#progress.get(id));
    for (const finding of [...closing, ...unapplied]) this.#find(finding);
  }

  /** The histograms of an earlier process are lost: what needs them is not measured, and not missed. */
  #evaluated(figures: RunFigures): readonly ThresholdOutcome[] {
    const outcomes = evaluateThresholds(this.thresholds, (metric) => figures.boundsOf(metric));
    if (!this.#isRestored) return outcomes;
    return outcomes.map((one) => (one.value === null ? { ...one, isMet: null } : one));
  }

  /** Applies effects on the run itself, and returns the others as tasks. */
  #note(effect: RunEffect, nowUs: number): readonly RunTask[] {
    if (effect.type === 'await_settling') {
      this.#know({ settlingSinceUs: this.#facts.settlingSinceUs ?? nowUs });
      return [];
    }
    if (effect.type === 'member_ended') {
      const { edgeId, end, reason } = effect;
      this.#find({ code: `edge_${end}`, edge_id: edgeId, message: reason });
      return [];
    }
    if (effect.type === 'change_rate') {
      const { atMs, rate } = effect;
      this.#know({ rates: [...this.#facts.rates, { atMs, rate }] });
      return [{ type: 'save', isUrgent: true }, effect];
    }
    if (effect.type === 'start' && !effect.isAgain) this.#startAt(nowUs + this.#leadMs * US_PER_MS);
    return [effect];
  }

  #know(learned: Partial<KnownFacts>): void {
    this.#facts = { ...this.#facts, ...learned };
  }

  #startAt(startAtUs: number): void {
    this.#know({ startedAtUs: startAtUs, timeline: new RunTimeline(this.scenario, startAtUs) });
  }

  #find(finding: RunFinding): void {
    const isKnown = this.#facts.findings.some(
      ({ code, edge_id: edgeId }) => code === finding.code && edgeId === finding.edge_id,
    );
    if (!isKnown) this.#know({ findings: [...this.#facts.findings, finding] });
  }

  /** The progress of an edge that has not reported yet. */
  #silence(): Omit<EdgeProgress, keyof EdgePart> {
    return { runId: this.runId, phase: 'prepared', reason: '', histograms: {} };
  }

  /** The edges that have reported, and the members of a started run. */
  #edgeIds(): readonly string[] {
    const members = this.#facts.startedAtUs === null ? [] : this.#state.members;
    return [...new Set([...this.#progress.keys(), ...members.map(({ edgeId }) => edgeId)])];
  }

  #endOf(edgeId: string): MemberEnd | null {
    return this.#state.members.find((member) => member.edgeId === edgeId)?.end ?? null;
  }

  /** An edge without a stop order stops by itself only if the hive is silent. */
  #whyLeftOut(edgeId: string): string {
    const end = this.#endOf(edgeId);
    if (end !== null && end !== 'done') return `edge_${end}`;
    const { ending } = this.#state;
    if (ending?.status === 'Failed') return ending.reason ?? 'stopped';
    return ending?.reason === null || ending === null ? 'hive_silent' : 'stopped';
  }
}

function endOf(before: RunState, after: RunState): readonly RunTask[] {
  return isEnded(after) && !isEnded(before) ? [{ type: 'end' }] : [];
}
