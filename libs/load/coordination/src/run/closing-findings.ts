import type { Finding } from '../record/run-record.ts';
import type { RunData } from './run-data.ts';

const US_PER_MS = 1_000;
/** Of what was planned, that may not be sent in time before it is said. */
const UNSENT_RATIO_MAX = 0.01;
/** By which latencies to the feed may be wrong before it is said. */
const CLOCK_ERROR_US_MAX = 50_000;

/** What the figures of a run tell of themselves, when it ends. */
export function closingFindings(runData: RunData): readonly Finding[] {
  const { eventsDropped } = runData.figures(runData.endedAtUs ?? 0).tally;
  const findings: Finding[] = [...notSentFindings(runData), ...clockFindings(runData)];
  if (eventsDropped > 0) {
    const message = `edges had no room for ${eventsDropped} events: figures from the files are of fewer`;
    findings.push({ code: 'events_dropped', edge_id: null, message });
  }
  return findings;
}

function notSentFindings(runData: RunData): readonly Finding[] {
  const { planned } = runData.figures(runData.endedAtUs ?? 0).tally;
  return runData.notSent().flatMap(({ reason, count }) => {
    if (reason !== 'late') {
      const message = `${count} of ${planned} planned transactions were not sent: ${reason.replaceAll('_', ' ')}`;
      return [{ code: `left_out_${reason}`, edge_id: null, message }];
    }
    if (count <= planned * UNSENT_RATIO_MAX) return [];
    const message = `${count} of ${planned} planned transactions were not sent in time: the load was less than planned`;
    return [{ code: 'generator_limited', edge_id: null, message }];
  });
}

/** Of those that took part in the load. */
function clockFindings({ state, clocks, startedAtUs }: RunData): readonly Finding[] {
  if (startedAtUs === null) return [];
  return state.members.flatMap(({ edgeId }) => {
    const clock = clocks.get(edgeId);
    const finding = (code: string, message: string): Finding => ({ code, edge_id: edgeId, message });
    if (clock === undefined) {
      return [
        finding('clock_unknown', 'how far its clock is off is not known: its times are as it gave them'),
      ];
    }
    if (clock.errorUs <= CLOCK_ERROR_US_MAX) return [];
    const message = `its clock is known to ${Math.round(clock.errorUs / US_PER_MS)} ms only`;
    return [finding('clock_uncertain', message)];
  });
}
