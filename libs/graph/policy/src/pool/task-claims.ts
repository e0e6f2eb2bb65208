/**
 * The assignment of a round's tasks to threads, in shared memory: a thread claims its next task itself, so
 * that none waits for a busy main thread or for a slower thread.
 *
 * | word  | content                                                  |
 * | ----- | -------------------------------------------------------- |
 * | 0     | the next unclaimed task                                  |
 * | 1 + n | the claim of task n: the number of the thread + 1, or 0  |
 */
export class TaskClaims {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;

  static of(taskCount: number): TaskClaims {
    return new TaskClaims(new SharedArrayBuffer((1 + taskCount) * Int32Array.BYTES_PER_ELEMENT));
  }

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer);
  }

  get hasNext(): boolean {
    return Atomics.load(this.#words, 0) < this.#taskCount;
  }

  /** Claims a task for the thread and returns its number; undefined if all are claimed. */
  claim(thread: number): number | undefined {
    const task = Atomics.add(this.#words, 0, 1);
    if (task >= this.#taskCount) return undefined;
    Atomics.store(this.#words, 1 + task, thread + 1);
    return task;
  }

  claimedBy(thread: number): readonly number[] {
    const tasks = Array.from({ length: this.#taskCount }, (_, task) => task);
    return tasks.filter((task) => Atomics.load(this.#words, 1 + task) === thread + 1);
  }

  get #taskCount(): number {
    return this.#words.length - 1;
  }
}
