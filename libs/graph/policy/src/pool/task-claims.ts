/**
 * Who evaluates which task of a round, in memory that all threads share: a thread takes its next task by
 * itself, so that none waits for the main thread, however busy that is, nor for a slower thread.
 *
 * | word  | what                                          |
 * | ----- | --------------------------------------------- |
 * | 0     | the next task that nobody has taken           |
 * | 1 + n | who took task n: the thread's number + 1, or 0  |
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

  /** The number of a task that is the thread's alone; undefined when all are taken. */
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
