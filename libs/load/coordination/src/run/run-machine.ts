/**
 * What a run does when something happens to it: (state, event) → (state, effects), and nothing else.
 *
 *   Starting ─ all have acknowledged ─▶ Running ─▶ Completed
 *      └──────────── stop ────────▶ Failed ◀──┘
 *
 * 1. While Starting, the members are the registered edges. A change of the set makes a new revision of all
 *    plans, and with it every answer void; a new instance of an edge makes its own answer void. The barrier
 *    opens when there are members, as many as the scenario wants, and each has acknowledged this revision in
 *    its current instance. No time limit opens or closes it.
 * 2. Running goes through funding, presigning, the load, draining, settling, verifying, reporting. The edges
 *    lead: the phase follows the live member that is furthest behind. A member ends `done`, or is lost: then
 *    the run is degraded, or fails if the scenario says so, and fails when nobody is left.
 * 3. An ending, once it is set to Failed, stays. In `reporting` only the end of it counts.
 * 4. Completed and Failed are never left.
 */
import { isEnded, type RunState } from '../record/run-state.ts';
import type { RunEvent, RunTask } from './run-event.ts';
import { conclude, failed, reached, type RunStep, type TransitionTable } from './run-step.ts';
import { RUNNING, STARTING } from './run-transitions.ts';

/** Events that mean something while the files of the run are being closed. */
const REPORTING: TransitionTable = {
  broken: (state, { reason }) => reached({ ...state, ending: failed(reason) }),

  hive_restarted: (state) => {
    return conclude(state, state.ending?.status === 'Failed' ? state.ending : failed('hive_restarted'));
  },

  concluded: (state) => {
    const { status, reason } = state.ending ?? { status: 'Completed', reason: null };
    return reached({ ...state, status, phase: null, ending: { status, reason } });
  },
};

export function stepRun(state: RunState, event: RunEvent): RunStep {
  if (isEnded(state)) return reached(state);
  const transition = tableOf(state)[event.type] as
    ((before: RunState, happened: RunEvent) => RunStep) | undefined;
  return transition?.(state, event) ?? reached(state);
}

function tableOf({ status, phase }: RunState): TransitionTable {
  if (phase === 'reporting') return REPORTING;
  return status === 'Starting' ? STARTING : RUNNING;
}

/**
 * Whether a crash from here on has to find the later state, at once or by and by. A start is written down
 * before it is told. That an edge has come to its end is written down soon after, with the ends of others: a
 * record names every edge, so that a thousand ends one by one would be a thousand such records.
 */
export function savingOf(before: RunState, after: RunState): readonly RunTask[] {
  const { status, phase, ending } = after;
  const save = { type: 'save', isUrgent: true } as const;
  if (before.status !== status || before.phase !== phase)
    return [{ type: 'tell_phase', status, phase, reason: ending?.reason ?? null }, save];
  if (before.ending !== ending || before.isStarted !== after.isStarted) return [save];
  const isEnd = after.members.some(({ end }, i) => end !== before.members[i]?.end);
  return status === 'Running' && isEnd ? [{ type: 'save', isUrgent: false }] : [];
}
