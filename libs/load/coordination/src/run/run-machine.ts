/**
 * The state machine of a run, a pure function: (state, event) → (state, effects).
 *
 *   Starting ─ all have acknowledged ─▶ Running ─▶ Completed
 *      └──────────── stop ────────▶ Failed ◀──┘
 *
 * 1. While Starting, the members are the registered edges. A change of the set creates a new revision of all
 *    plans, which discards every answer; a new instance of an edge discards the answer of that edge. The
 *    barrier opens when the minimum number of edges is registered, and each current instance has acknowledged
 *    this revision. No time limit opens or closes it.
 * 2. Running has the phases funding, presigning, the load, draining, settling, verifying, reporting. The
 *    phase follows the slowest live member. A member ends `done`, or is lost: then the run is degraded, or
 *    fails if the scenario sets `fail_on_edge_loss`. It fails if no live member is left and none is `done`.
 * 3. An ending of status Failed never becomes Completed. In `reporting` only `concluded`, `broken` and
 *    `hive_restarted` have an effect.
 * 4. Completed and Failed are never left.
 */
import { isEnded, type RunState } from '../record/run-state.ts';
import type { RunEvent, RunTask } from './run-event.ts';
import { conclude, failed, reached, type RunStep, type TransitionTable } from './run-step.ts';
import { RUNNING, STARTING } from './run-transitions.ts';

/** Events that have an effect while the files of the run are being closed. */
const REPORTING: TransitionTable = {
  broken: (state, { reason }) => reached({ ...state, ending: failed(reason) }),

  /** All rows are on disk. */
  hive_restarted: (state) => conclude(state, state.ending ?? failed('hive_restarted')),

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
 * The save that a state change needs, urgent or delayed. A start is saved before the order is sent. The end
 * of an edge is saved with a delay, together with other ends: each record lists every edge, so a thousand
 * single saves would write a thousand full records.
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
