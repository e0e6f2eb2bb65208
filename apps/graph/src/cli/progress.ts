import cliProgress from 'cli-progress';

/** Passes chunks on, and shows on a terminal how much of the whole has passed. */
export async function* withProgress(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  if (!process.stderr.isTTY) {
    yield* chunks;
    return;
  }
  const bar = new cliProgress.SingleBar(
    { stream: process.stderr, format: '{bar} {percentage}% | {eta_formatted} left', clearOnComplete: true },
    cliProgress.Presets.shades_classic,
  );
  bar.start(bytes, 0);
  try {
    for await (const chunk of chunks) {
      yield chunk;
      bar.increment(chunk.length);
    }
  } finally {
    bar.stop();
  }
}
