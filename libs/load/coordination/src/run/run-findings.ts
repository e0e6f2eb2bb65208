import type { ClockOffset, Tally } from '#load/protocol';
import type { FoundKind } from '#load/oracle';
import type { RunFinding, RunNotSent } from '#load/report';
import type { FindingKind } from '#load/telemetry';
import type { Scenario } from '#load/scenario';
import { countedText } from '#platform/foundation';
import { type RunMember, type RunState, waitingFor } from '../record/run-state.ts';

const US_PER_MS = 1_000;
const MS_PER_S = 1_000;
/** Share of the planned transactions that may be unsent without a finding. */
const UNSENT_RATIO_MAX = 0.01;
/** Error of feed latencies that is accepted without a finding. */
const CLOCK_ERROR_US_MAX = 50_000;

/** Findings of edges that are not violations, but reduce the certainty of the checks. */
const MESSAGES: Readonly<Partial<Record<FindingKind, string>>> = {
  foreign:
    'foreign transactions from or to accounts of the run: these accounts are inconclusive. Possible causes: two ' +
    'hives with the same seed, a wallet, or pending transactions of an earlier run',
  malformed_receipt: 'malformed receipts (rpc_garbage): their actual content is unknown',
  block_replaced: 'blocks were replaced: their receipts are discarded, their transactions still tracked',
  deep_reorganisation: 'blocks older than the history of an edge were replaced: the pinned start is void',
  feed_unconfirmed:
    'feed messages contain block hashes that are not on the chain: blocks that were replaced before they were read, or ' +
    'that never were',
  method_missing: 'the RPC refuses a method: receipts are read one by one',
  blocks_unread: 'blocks could not be read: their content is unknown',
  receipts_missing: 'blocks whose receipts the node did not return completely: their sums are unknown',
  feed_time: 'feed messages with another time than their block, or with an earlier one than a message before',
  feed_delayed_fell: 'feed messages that have read fewer messages of the parent chain than earlier ones',
  feed_confirmed_ahead: 'the feed confirmed messages that it had not sent',
  block_time: 'blocks with an earlier time than their parent',
  chain_id_changed:
    'the chain id of an RPC was another one at the end: all other answers may be of that chain',
  state_unread: 'the state of accounts could not be read completely at the end',
  calls_reverted: 'executions failed; the reasons of the first ones of each entry',
  out_of_gas: 'executions ran out of gas: raise `gas_limit` of these entries, or `fees.gas_limit`',
};

/** One finding for each kind and edge, with its count. */
export function edgeFindings(
  found: readonly (readonly [string, ReadonlyMap<FindingKind, FoundKind>])[],
): readonly RunFinding[] {
  return found.flatMap(([edgeId, counts]) =>
    Array.from(counts).flatMap(([kind, { count, sample }]) => {
      const message = MESSAGES[kind];
      const said = sample === null ? '' : ` (${sample})`;
      return message === undefined
        ? []
        : [{ code: kind, edge_id: edgeId, message: `${count}: ${message}${said}` } satisfies RunFinding];
    }),
  );
}

/** Number of edges that a finding names. */
const NAMES_MAX = 5;

/** Why a run was aborted before its start. */
export function notStartedFinding({ scenario, state }: { scenario: Scenario; state: RunState }): RunFinding {
  const { start_timeout: limitMs = 0 } = scenario.edges;
  const message = `it did not start within ${limitMs / MS_PER_S} s: ${whomItWaitsFor(state)}`;
  return { code: 'not_started', edge_id: null, message };
}

function whomItWaitsFor(state: RunState): string {
  const { members, rules } = state;
  if (members.length < rules.edgesMin)
    return `expected ${countedText(rules.edgesMin, 'edge')}, ${members.length} are registered`;
  const waiting = waitingFor(state);
  const named = waiting.slice(0, NAMES_MAX).map((edgeId) => {
    const answer = members.find((member) => member.edgeId === edgeId)?.answer;
    if (answer?.kind === 'refused') return `${edgeId}: ${answer.code}, ${answer.reason}`;
    return answer === undefined ? `${edgeId} is not registered` : `${edgeId} has not responded`;
  });
  return [...named, ...(waiting.length > NAMES_MAX ? [`and ${waiting.length - NAMES_MAX} more`] : [])].join(
    ', ',
  );
}

/** The facts about a run at its end. */
export interface ClosingFacts {
  /** The edges that took part in the load. */
  readonly members: readonly RunMember[];
  readonly clocks: ReadonlyMap<string, ClockOffset>;
  readonly tally: Tally;
  readonly notSent: readonly RunNotSent[];
  readonly mix: Scenario['mix'];
  /** Kinds of the transactions according to the telemetry; null if it could not be read. */
  readonly drawn: ReadonlySet<string> | null;
}

/** Findings about the quality of a run's figures, at its end. */
export function closingFindings(facts: ClosingFacts): readonly RunFinding[] {
  const { eventsDropped } = facts.tally;
  const findings: RunFinding[] = [
    ...notSentFindings(facts),
    ...clockFindings(facts),
    ...undrawnFindings(facts),
  ];
  if (eventsDropped > 0) {
    const message = `edges dropped ${eventsDropped} events on full buffers: figures from the files do not include them`;
    findings.push({ code: 'events_dropped', edge_id: null, message });
  }
  return findings;
}

function notSentFindings({ tally: { planned }, notSent }: ClosingFacts): readonly RunFinding[] {
  return notSent.flatMap(({ reason, count }) => {
    if (reason !== 'late') {
      const message = `${count} of ${planned} planned transactions were not sent: ${reason.replaceAll('_', ' ')}`;
      return [{ code: `left_out_${reason}`, edge_id: null, message }];
    }
    if (count <= planned * UNSENT_RATIO_MAX) return [];
    const message = `${count} of ${planned} planned transactions were not sent in time: the load was less than planned`;
    return [{ code: 'generator_limited', edge_id: null, message }];
  });
}

/** Entries of the mix of which no transaction was sent: nothing about them was tested. */
function undrawnFindings({
  mix,
  drawn,
  tally: { planned, eventsDropped },
}: ClosingFacts): readonly RunFinding[] {
  const missing = mix.flatMap(({ kind, weight }, at) => {
    // An edge that ended early may have delivered no rows at all.
    const isKnown = drawn !== null && drawn.size > 0 && eventsDropped === 0;
    const isUnseen = isKnown && !drawn.has(kind);
    return weight === 0 || isUnseen ? [`mix.${at} (${kind}, weight ${weight})`] : [];
  });
  if (planned === 0 || missing.length === 0) return [];
  const message = `none of ${planned} planned transactions is of ${missing.join(', ')}: it was not tested`;
  return [{ code: 'mix_not_drawn', edge_id: null, message }];
}

function clockFindings({ members, clocks }: ClosingFacts): readonly RunFinding[] {
  return members.flatMap(({ edgeId }) => {
    const clock = clocks.get(edgeId);
    const finding = (code: string, message: string): RunFinding => ({ code, edge_id: edgeId, message });
    if (clock === undefined) {
      return [finding('clock_unknown', 'its clock offset is unknown: its times are not corrected')];
    }
    if (clock.errorUs <= CLOCK_ERROR_US_MAX) return [];
    const message = `its clock is known to ${Math.round(clock.errorUs / US_PER_MS)} ms only`;
    return [finding('clock_uncertain', message)];
  });
}
