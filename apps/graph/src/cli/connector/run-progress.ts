import type { RunRecord, StepReport } from '#graph/connector';
import { visibleText } from '#platform/cli';
import { countedText } from '#platform/foundation';

const ESCAPE = '\u001b[';

/** The stream that progress is written to. */
export interface ProgressScreen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Shows the progress of a run: on a terminal all steps and the totals, redrawn in place; elsewhere a plain
 * line for each step that starts or ends.
 */
export class RunProgressLine {
  readonly #screen: ProgressScreen;
  readonly #shown = new Map<string, string>();
  #paintedLines = 0;

  constructor(screen: ProgressScreen) {
    this.#screen = screen;
  }

  show(run: RunRecord): void {
    if (this.#screen.isTTY === true) this.#paint(run);
    else this.#print(run);
  }

  #paint(run: RunRecord): void {
    const lines = [...run.steps.map((step) => `  ${stepLine(step)}`), `  ${totalsLine(run)}`];
    const back = this.#paintedLines === 0 ? '' : `${ESCAPE}${this.#paintedLines}A${ESCAPE}0J`;
    this.#screen.write(`${back}${lines.join('\n')}\n`);
    this.#paintedLines = lines.length;
  }

  #print(run: RunRecord): void {
    for (const step of run.steps) {
      const { id, status } = step;
      if (status !== 'waiting' && this.#shown.get(id) !== status) this.#screen.write(`${stepLine(step)}\n`);
      this.#shown.set(id, status);
    }
    if (run.ended_at !== null) this.#screen.write(`${totalsLine(run)}\n`);
  }
}

function stepLine(step: StepReport): string {
  const { id, wave, status, entities, relationships, duration_ms: ms, attempts, reason } = step;
  const reached = status === 'running' ? reachedText(step) : '';
  const counts = status === 'done' || status === 'running' ? `: ${countsText(entities, relationships)}` : '';
  const time = status === 'done' || status === 'failed' ? ` in ${ms} ms` : '';
  const tries = attempts > 1 ? `, attempt ${attempts}` : '';
  return `wave ${wave}  ${id} ${status}${counts}${reached}${time}${tries}${reason === undefined ? '' : `: ${visibleText(reason)}`}`;
}

/** `, 30 of 90, 12 s left`. */
function reachedText({ done, total, remaining_ms: remainingMs }: StepReport): string {
  if (done === undefined) return '';
  const left = remainingMs === undefined ? '' : `, ${Math.ceil(remainingMs / 1_000)} s left`;
  return `, ${done}${total === undefined ? '' : ` of ${total}`}${left}`;
}

function totalsLine({ status, entities, relationships, mapped }: RunRecord): string {
  return `total   ${status}: ${countsText(entities, relationships)}, ${mapped} mapped`;
}

function countsText(entities: number, relationships: number): string {
  return `${countedText(entities, 'entity', 'entities')}, ${countedText(relationships, 'relationship')}`;
}
