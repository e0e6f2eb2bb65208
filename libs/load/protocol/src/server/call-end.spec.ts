import { describe, expect, it } from '@jest/globals';
import { Duplex } from 'node:stream';
import { send } from './call-end.ts';

/** A call that echoes; `readAll` reads what was sent, and all that follows. */
class EchoCall extends Duplex {
  readonly received: object[] = [];
  readonly cancelled = false;
  readonly #unread: (() => void)[] = [];
  #isRead = false;

  constructor() {
    super({ objectMode: true });
    this.on('data', (message: object) => send(this, message));
  }

  override _read(): void {
    // The test pushes.
  }

  override _write(message: object, _encoding: string, done: () => void): void {
    const take = (): void => {
      this.received.push(message);
      done();
    };
    if (this.#isRead) take();
    else this.#unread.push(take);
  }

  readAll(): void {
    this.#isRead = true;
    for (const take of this.#unread.splice(0)) take();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('send', () => {
  it('stops the reading of a client that does not read, until it does', async () => {
    const call = new EchoCall();
    const questions = Array.from({ length: 1_000 }, (_, id) => ({ id }));

    for (const question of questions) call.push(question);
    await turn();
    const waiting = call.writableLength;
    call.readAll();
    while (call.received.length < questions.length) await turn();

    expect(waiting).toBeLessThanOrEqual(call.writableHighWaterMark);
    expect(call.received).toEqual(questions);
    expect(call.listenerCount('drain')).toBe(0);
  });
});
