import { systemNowUs } from '#load/protocol';
import { DomainError } from '#platform/foundation';
import type { Log } from '#platform/observability';
import { isEnded, type RunState } from '../record/run-state.ts';
import type { RunFile } from '../record/run-store.ts';
import type { RunData } from './run-data.ts';
import { runRecord } from './run-documents.ts';
import type { RunEffect, RunEvent } from './run-event.ts';
import { stepRun } from './run-machine.ts';

const US_PER_MS = 1_000;
/** Ends of edges within so long are written down together. */
const SAVE_MS = 500;

export interface RunEngineParts {
  readonly runData: RunData;
  readonly file: RunFile;
  readonly log: Log;
  readonly leadMs: number;
  readonly perform: (effect: RunEffect) => void;
  /** After each event. */
  readonly onStep: () => void;
}

/**
 * Takes what happens to a run one after another: a step of the machine, its state to disk where somebody has
 * to find it after a crash, then what is to be done. A start is written down before it is told. That an edge
 * has come to its end is written down soon after, with the ends of others: a record names every edge, so
 * that a thousand ends one by one would be a thousand such records.
 */
export class RunEngine {
  readonly #parts: RunEngineParts;
  readonly #queue: RunEvent[] = [];
  #working: Promise<void> | undefined;
  #isClosed = false;
  #saving: NodeJS.Timeout | undefined;

  constructor(parts: RunEngineParts) {
    this.#parts = parts;
  }

  happened(event: RunEvent): void {
    if (this.#isClosed) return;
    this.#queue.push(event);
    this.#working ??= this.#work();
  }

  /** Writes the state down as it is. Throws NO_DISK_SPACE. */
  async save(): Promise<void> {
    const { file, runData } = this.#parts;
    await file.save(() => runRecord(runData, systemNowUs()));
  }

  /** Resolves when everything that has happened is taken. */
  async idle(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
  }

  /** Takes what has happened, and nothing that happens from now on: the state stays as it is on disk. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const isDue = this.#saving !== undefined;
    this.#dropSave();
    await this.idle();
    if (isDue) await this.#saveNow();
  }

  async #work(): Promise<void> {
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
      await this.#take(event);
    }
    this.#working = undefined;
  }

  async #take(event: RunEvent): Promise<void> {
    const { runData, perform, onStep } = this.#parts;
    const before = runData.state;
    const { state, effects } = stepRun(before, event);
    runData.state = state;
    for (const effect of effects) this.#note(effect);
    const news = newsOf(before, state);
    if (news === 'now') await this.#tell(before);
    else if (news === 'soon') this.#saving ??= setTimeout(() => void this.#saveNow(), SAVE_MS);
    for (const effect of effects) perform(effect);
    onStep();
  }

  /** What belongs to the run's data before it is written down. */
  #note(effect: RunEffect): void {
    const { runData, leadMs } = this.#parts;
    if (effect.type === 'start' && !effect.isAgain) runData.startAt(systemNowUs() + leadMs * US_PER_MS);
    if (effect.type === 'member_ended') {
      runData.find({ code: `edge_${effect.end}`, edge_id: effect.edgeId, message: effect.reason });
    }
  }

  async #tell(before: RunState): Promise<void> {
    const { runData, file, log } = this.#parts;
    const { status, phase, ending } = runData.state;
    const fields = { run_id: runData.runId, status, phase, reason: ending?.reason ?? undefined };
    if (before.status !== status || before.phase !== phase) {
      log.info({ event: 'run.phase', ...fields }, 'run goes on');
    }
    if ((await this.#saveNow()) && isEnded(runData.state)) await file.finish();
  }

  /** False when there is no room: then the run is over. */
  async #saveNow(): Promise<boolean> {
    const { runData, log } = this.#parts;
    this.#dropSave();
    try {
      await this.save();
      return true;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      log.error(
        { event: 'run.not_saved', err: error, run_id: runData.runId },
        'state of the run is not on disk',
      );
      this.#queue.unshift({ type: 'broken', reason: 'no_disk_space' });
      this.#working ??= this.#work();
      return false;
    }
  }

  #dropSave(): void {
    clearTimeout(this.#saving);
    this.#saving = undefined;
  }
}

/** Whether a crash from here on has to find the later state, at once or by and by. */
function newsOf(before: RunState, after: RunState): 'now' | 'soon' | 'none' {
  if (before.status !== after.status || before.phase !== after.phase) return 'now';
  if (before.ending !== after.ending || before.isStarted !== after.isStarted) return 'now';
  const isEnd = after.members.some(({ end }, i) => end !== before.members[i]?.end);
  return after.status === 'Running' && isEnd ? 'soon' : 'none';
}
