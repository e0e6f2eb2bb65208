import { describe, expect, it } from '@jest/globals';
import { Writable } from 'node:stream';
import { Output } from './output.ts';

/** A stream whose reader takes one piece per turn of the event loop. */
function slowStream(): { readonly stream: NodeJS.WriteStream; readonly received: () => string } {
  const pieces: string[] = [];
  const stream = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      pieces.push(chunk.toString());
      setImmediate(done);
    },
  });
  return { stream: stream as NodeJS.WriteStream, received: () => pieces.join('') };
}

describe('output', () => {
  it('to a slow reader waits for it, and leaves no listeners behind', async () => {
    const { stream, received } = slowStream();
    const output = new Output(stream);
    const counts = (): number[] => ['drain', 'close', 'error'].map((event) => stream.listenerCount(event));
    const before = counts();

    for (let number = 0; number < 12; number++) await output.line(String(number));

    expect(received()).toBe(Array.from({ length: 12 }, (_, number) => `${String(number)}\n`).join(''));
    expect(counts()).toEqual(before);
  });

  it('to a reader that closes the pipe is gone', async () => {
    const { stream } = slowStream();
    const output = new Output(stream);

    const written = output.write('text');
    stream.destroy(Object.assign(new Error('broken pipe'), { code: 'EPIPE' }));
    await written;

    expect(output.isGone).toBe(true);
  });
});
