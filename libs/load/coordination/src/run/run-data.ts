import type { Check } from '#load/oracle';
import {
  type ClockOffset,
  type EdgeProgress,
  type EdgeRegistration,
  type Tally,
  ZERO_TALLY,
} from '#load/protocol';
import type { RunNotSent } from '#load/report';
import {
  evaluateThresholds,
  type Scenario,
  type RunThreshold,
  type ThresholdOutcome,
  thresholdsOf,
} from '#load/scenario';
import type { FindingKind, PartFile } from '#load/telemetry';
import type { AccountPartition } from '../edge/account-partition.ts';
import { type EdgePart, partOf, type PlannedStage, type SeenTransactions } from '../live/edge-part.ts';
import { RunFigures } from '../live/run-figures.ts';
import type { Finding } from '../record/run-record.ts';
import { type MemberEnd, newRunState, type RunState } from '../record/run-state.ts';
import { RunTimeline } from '../record/run-timeline.ts';
import {
  NO_KINDS,
  type RunVerdicts,
  type VerifiedRun,
  type ViolationKinds,
} from '../telemetry/telemetry-messages.ts';

/** What edges found that is no violation by itself, but makes what the checks say less. */
const MESSAGES: Readonly<Partial<Record<FindingKind, string>>> = {
  foreign:
    'transactions from or to accounts of the run that the run did not send: those accounts are inconclusive. Two ' +
    'hives with one seed, a wallet, or what an earlier run left pending',
  malformed_receipt: 'receipts that are none (rpc_garbage): what they should have shown is not known',
  block_replaced:
    'blocks were replaced by others: their receipts are taken back, their transactions followed',
  deep_reorganisation: 'blocks from before what an edge remembers were replaced: the pinned start is void',
  feed_unconfirmed:
    'messages of the feed tell block hashes that stand no more: blocks that were replaced before they were read, or ' +
    'that never were',
  method_missing: 'methods that the RPC does not have: receipts are read one by one',
  blocks_unread: 'blocks could not be read: what they hold is not known',
};

const MS_PER_S = 1_000;
const NOTHING_LEFT = { leftOut: 0, leftOutMeasured: 0 };
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
export class RunData {
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
  /** What the run takes from the funder at most; null before that is known. */
  spendMostWei: bigint | null = null;
  /** Edges whose part goes on, and that have not been heard of for a while. */
  silent: ReadonlySet<string> = new Set();
  parts: readonly PartFile[] = [];
  /** What the load asks of each edge, drawn by the hive itself; null before, and in the closed model. */
  schedule: ReadonlyMap<string, readonly PlannedStage[]> | null = null;
  readonly thresholds: readonly RunThreshold[];
  #startedAtUs: number | null = null;
  #timeline: RunTimeline | null = null;
  #outcomes: readonly ThresholdOutcome[] | null = null;
  #verdicts: RunVerdicts | null = null;
  #kinds: ViolationKinds = NO_KINDS;
  /** By edge, when its telemetry has been gone through. */
  #seen: ReadonlyMap<string, SeenTransactions> = new Map();

  constructor({ runId, scenario, randomSeed, createdAtUs }: RunBeginning) {
    this.runId = runId;
    this.scenario = scenario;
    this.randomSeed = randomSeed;
    this.createdAtUs = createdAtUs;
    this.thresholds = thresholdsOf(scenario);
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
    const measuredMs = this.timeline?.measuredMs(Math.min(nowUs, this.endedAtUs ?? nowUs)) ?? 0;
    const said = this.#edgeIds().map((edgeId) => ({
      ...(this.progress.get(edgeId) ?? this.#silence()),
      ...this.partOf(edgeId),
    }));
    return new RunFigures(said, {
      measuredSeconds: measuredMs / MS_PER_S,
      feedContradictions: feedContradictions(this.#kinds.nonce),
    });
  }

  /** What an edge's transactions came to: its latest word; after its end, also what it left out. */
  partOf(edgeId: string): EdgePart {
    const { tally = ZERO_TALLY, measured = ZERO_TALLY } = this.progress.get(edgeId) ?? {};
    const end = this.#endOf(edgeId);
    if (end === null && this.endedAtUs === null) return { tally, measured, ...NOTHING_LEFT };
    return partOf(
      { tally, measured },
      {
        lostSeen: end === 'done' ? null : (this.#seen.get(edgeId) ?? NOTHING_SEEN),
        schedule: this.schedule?.get(edgeId) ?? null,
      },
    );
  }

  tallyOf(edgeId: string): Tally {
    return this.partOf(edgeId).tally;
  }

  /** Why planned transactions were not sent, the most frequent reason first. */
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

  /** Null before all telemetry has been gone through. */
  get verdicts(): RunVerdicts | null {
    return this.#verdicts;
  }

  judge({ verdicts, seen, kinds, found }: VerifiedRun): void {
    this.#verdicts = verdicts;
    this.#kinds = kinds;
    this.#seen = new Map(seen);
    for (const finding of edgeFindings(found)) this.find(finding);
  }

  /** Violations of a check by kind. */
  kindsOf(check: Check): Readonly<Record<string, number>> {
    return this.#kinds[check];
  }

  /** Of the thresholds, when the run has ended; null before. */
  get outcomes(): readonly ThresholdOutcome[] | null {
    return this.#outcomes;
  }

  /** The last word: nothing is measured any more. Outcomes: of another process, which knew more. */
  end(nowUs: number, outcomes?: readonly ThresholdOutcome[]): void {
    this.endedAtUs = nowUs;
    const figures = this.figures(nowUs);
    this.#outcomes = outcomes ?? evaluateThresholds(this.thresholds, (metric) => figures.valueOf(metric));
  }

  find(finding: Finding): void {
    const isKnown = this.findings.some(
      ({ code, edge_id: edgeId }) => code === finding.code && edgeId === finding.edge_id,
    );
    if (!isKnown) this.findings.push(finding);
  }

  /** Of an edge that has said nothing yet. */
  #silence(): Omit<EdgeProgress, keyof EdgePart> {
    return { runId: this.runId, phase: 'prepared', reason: '', histograms: {} };
  }

  /** Who has said something, and who should have. */
  #edgeIds(): readonly string[] {
    const members = this.#startedAtUs === null ? [] : this.state.members;
    return [...new Set([...this.progress.keys(), ...members.map(({ edgeId }) => edgeId)])];
  }

  #endOf(edgeId: string): MemberEnd | null {
    return this.state.members.find((member) => member.edgeId === edgeId)?.end ?? null;
  }

  /** An edge that nobody has stopped stops by itself when the hive is silent. */
  #whyLeftOut(edgeId: string): string {
    const end = this.#endOf(edgeId);
    if (end !== null && end !== 'done') return `edge_${end}`;
    const { ending } = this.state;
    if (ending?.status === 'Failed') return ending.reason ?? 'stopped';
    return ending?.reason === null || ending === null ? 'hive_silent' : 'stopped';
  }

  accountCounts(): readonly (readonly [string, number])[] {
    return Array.from(this.participants, ([edgeId, { partition }]) => [edgeId, partition.count] as const);
  }
}

/** Kinds of violations of the nonce check in which the feed and the chain differ. */
const CONTRADICTION = /^feed_/;

function feedContradictions(kinds: Readonly<Record<string, number>>): number {
  return Object.entries(kinds).reduce(
    (sum, [kind, count]) => sum + (CONTRADICTION.test(kind) ? count : 0),
    0,
  );
}

/** Each kind once for each edge, with how many there were. */
function edgeFindings(
  found: readonly (readonly [string, ReadonlyMap<FindingKind, number>])[],
): readonly Finding[] {
  return found.flatMap(([edgeId, counts]) =>
    Array.from(counts).flatMap(([kind, count]) => {
      const message = MESSAGES[kind];
      return message === undefined
        ? []
        : [{ code: kind, edge_id: edgeId, message: `${count}: ${message}` } satisfies Finding];
    }),
  );
}
