import type { Finding } from '#coordination';
import type { RunSheet } from './run-sheet.ts';

const US_PER_MS = 1_000;
/** Of what was planned, that may not be sent before it is said. */
const UNSENT_RATIO_MAX = 0.01;
/** By which latencies to the feed may be wrong before it is said. */
const CLOCK_ERROR_US_MAX = 50_000;

/** What the figures of a run tell of themselves, when it ends. */
export function closingFindings(sheet: RunSheet): readonly Finding[] {
  const { planned, notSent, eventsDropped } = sheet.figures(sheet.endedAtUs ?? 0).tally;
  const findings: Finding[] = [];
  if (notSent > planned * UNSENT_RATIO_MAX) {
    const message = `${notSent} of ${planned} planned transactions were not sent in time: the load was less than planned`;
    findings.push({ code: 'generator_limited', edge_id: null, message });
  }
  if (eventsDropped > 0) {
    const message = `edges had no room for ${eventsDropped} events: figures from the files are of fewer`;
    findings.push({ code: 'events_dropped', edge_id: null, message });
  }
  for (const [edgeId, { errorUs }] of sheet.clocks) {
    if (errorUs <= CLOCK_ERROR_US_MAX) continue;
    const message = `its clock is known to ${Math.round(errorUs / US_PER_MS)} ms only`;
    findings.push({ code: 'clock_uncertain', edge_id: edgeId, message });
  }
  return findings;
}
