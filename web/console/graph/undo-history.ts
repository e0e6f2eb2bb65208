/** The earlier and the undone states of something, each with its size; the oldest are forgotten first. */
export interface Sized {
  readonly size: number;
}

const STEPS_MAX = 100;

export class UndoHistory<State extends Sized> {
  readonly #sizeMax: number;
  #past: State[] = [];
  #future: State[] = [];

  /** `sizeMax`: the states are together at most this large, but there is always one step. */
  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /** The state before a change. What was undone cannot be redone any more. */
  record(before: State): void {
    this.#past.push(before);
    this.#future = [];
    let total = this.#past.reduce((sum, { size }) => sum + size, 0);
    while (this.#past.length > STEPS_MAX || (total > this.#sizeMax && this.#past.length > 1)) {
      total -= this.#past.shift()?.size ?? 0;
    }
  }

  /** The state before the last change; undefined if there is none. */
  undo(now: State): State | undefined {
    return step(this.#past, this.#future, now);
  }

  redo(now: State): State | undefined {
    return step(this.#future, this.#past, now);
  }
}

function step<State>(from: State[], to: State[], now: State): State | undefined {
  const state = from.pop();
  if (state !== undefined) to.push(now);
  return state;
}
