import {
  type AccountPartition,
  type ClockOffset,
  type EdgeProgress,
  type EdgeRegistration,
  evaluateThresholds,
  type Finding,
  newRunState,
  RunFigures,
  type RunState,
  type Scenario,
  type SeenTransactions,
  settledTally,
  type Tally,
  type ThresholdOutcome,
  ZERO_TALLY,
} from '#coordination';
import type { Check } from '#oracle';
import type { PartFile } from '#telemetry';
import type { RunVerdicts, VerifiedRun } from '../telemetry/telemetry-messages.ts';
import { RunTimeline } from './run-timeline.ts';

const US_PER_S = 1_000_000;
const NOTHING_SEEN: SeenTransactions = { sent: 0, notSent: 0, included: 0, rejected: 0 };

/** What a run begins with. */
export interface RunBeginning {
  readonly runId: string;
  readonly scenario: Scenario;
  readonly randomSeed: number;
  readonly createdAtUs: number;
}

/** An edge in a run, as it was when the run was shared out. */
export interface Participant {
  readonly registration: EdgeRegistration;
  readonly partition: AccountPartition;
}

/** All that is known of one run, by now. */
export class RunSheet {
  readonly runId: string;
  readonly scenario: Scenario;
  readonly randomSeed: number;
  readonly createdAtUs: number;
  state: RunState;
  endedAtUs: number | null = null;
  participants: ReadonlyMap<string, Participant> = new Map();
  /** The latest word of each edge. */
  readonly progress = new Map<string, EdgeProgress>();
  readonly clocks = new Map<string, ClockOffset>();
  readonly findings: Finding[] = [];
  violations: Readonly<Record<Check, number>> = { nonce: 0, balance: 0, gas: 0 };
  funded: { readonly funded: number; readonly count: number } | null = null;
  /** Edges whose part goes on, and that have not been heard of for a while. */
  silent: ReadonlySet<string> = new Set();
  parts: readonly PartFile[] = [];
  #startedAtUs: number | null = null;
  #timeline: RunTimeline | null = null;
  #outcomes: readonly ThresholdOutcome[] | null = null;
  #verdicts: RunVerdicts | null = null;
  /** By edge, when its telemetry has been gone through. */
  #seen: ReadonlyMap<string, SeenTransactions> = new Map();

  constructor({ runId, scenario, randomSeed, createdAtUs }: RunBeginning) {
    this.runId = runId;
    this.scenario = scenario;
    this.randomSeed = randomSeed;
    this.createdAtUs = createdAtUs;
    const { min: edgesMin, fail_on_edge_loss: failsOnEdgeLoss } = scenario.edges;
    this.state = newRunState({ edgesMin, failsOnEdgeLoss });
  }

  /** When the first transaction is intended; null before that is known. */
  get startedAtUs(): number | null {
    return this.#startedAtUs;
  }

  startAt(startAtUs: number): void {
    this.#startedAtUs = startAtUs;
    this.#timeline = new RunTimeline(this.scenario, startAtUs);
  }

  get timeline(): RunTimeline | null {
    return this.#timeline;
  }

  /** What the edges' latest words come to. */
  figures(nowUs: number): RunFigures {
    const { timeline } = this;
    const untilUs = Math.min(nowUs, timeline?.endUs ?? nowUs, this.endedAtUs ?? nowUs);
    const seconds = this.#startedAtUs === null ? 0 : Math.max(0, untilUs - this.#startedAtUs) / US_PER_S;
    const said = Array.from(this.progress, ([edgeId, word]) => ({ ...word, tally: this.tallyOf(edgeId) }));
    return new RunFigures(said, seconds);
  }

  /** What an edge's transactions came to: its latest word; of one that is lost, also what its rows tell. */
  tallyOf(edgeId: string): Tally {
    const tally = this.progress.get(edgeId)?.tally ?? ZERO_TALLY;
    const end = this.state.members.find((member) => member.edgeId === edgeId)?.end ?? null;
    const isLost = end === null ? this.endedAtUs !== null : end !== 'done';
    return isLost ? settledTally(tally, this.#seen.get(edgeId) ?? NOTHING_SEEN) : tally;
  }

  /** Null before all telemetry has been gone through. */
  get verdicts(): RunVerdicts | null {
    return this.#verdicts;
  }

  judge({ verdicts, seen }: VerifiedRun): void {
    this.#verdicts = verdicts;
    this.#seen = new Map(seen);
  }

  /** Of the thresholds, when the run has ended; null before. */
  get outcomes(): readonly ThresholdOutcome[] | null {
    return this.#outcomes;
  }

  /** The last word: nothing is measured any more. Outcomes: of another process, which knew more. */
  end(nowUs: number, outcomes?: readonly ThresholdOutcome[]): void {
    this.endedAtUs = nowUs;
    const figures = this.figures(nowUs);
    this.#outcomes =
      outcomes ?? evaluateThresholds(this.scenario.thresholds, (metric) => figures.valueOf(metric));
  }

  find(finding: Finding): void {
    const isKnown = this.findings.some(
      ({ code, edge_id: edgeId }) => code === finding.code && edgeId === finding.edge_id,
    );
    if (!isKnown) this.findings.push(finding);
  }

  accountCounts(): readonly (readonly [string, number])[] {
    return Array.from(this.participants, ([edgeId, { partition }]) => [edgeId, partition.count] as const);
  }
}
