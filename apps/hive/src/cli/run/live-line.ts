import type { RunView } from '#load/coordination';
import { countedText } from '#platform/foundation';

const PLAIN_INTERVAL_MS = 5_000;
const NAMES_MAX = 5;
const CLEAR_LINE = '\r\u001b[2K';

/** The state of a run in one line: overwritten on a terminal, otherwise printed at intervals. */
export class LiveLine {
  readonly #stream: NodeJS.WriteStream;
  #writtenAtMs = -Infinity;
  #phase: string | null = '';
  #said = '';

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  show(run: RunView): void {
    const text = lineOf(run);
    if (this.#stream.isTTY) {
      this.#stream.write(CLEAR_LINE + text.slice(0, this.#stream.columns - 1));
      return;
    }
    const isNews = run.phase !== this.#phase || this.#said !== '';
    this.#said = '';
    if (!isNews && performance.now() - this.#writtenAtMs < PLAIN_INTERVAL_MS) return;
    this.#phase = run.phase;
    this.#writtenAtMs = performance.now();
    this.#stream.write(`${text}\n`);
  }

  /** Shows another message; repetitions are printed once. */
  say(text: string): void {
    if (this.#stream.isTTY) this.#stream.write(CLEAR_LINE + text.slice(0, this.#stream.columns - 1));
    else if (this.#said !== text) this.#stream.write(`${text}\n`);
    this.#said = text;
  }

  end(): void {
    if (this.#stream.isTTY) this.#stream.write(CLEAR_LINE);
  }
}

/** `steady 12/60 s · planned 2,400 · sent 2,400 · included 2,350 · rejected 12 · p50 131 ms p99 261 ms`. */
export function lineOf(run: RunView): string {
  if (run.status === 'Starting') return startingLine(run);
  const { planned, sent, included, rejected } = run.progress;
  const counts = { planned, sent, included, rejected };
  return [
    `${run.phase ?? run.status}${clockOf(run)}`,
    ...Object.entries(counts).map(([name, count]) => `${name} ${count.toLocaleString('en')}`),
    ...latencyOf(run),
    ...violationsOf(run),
    ...troublesOf(run),
  ].join(' · ');
}

function troublesOf({ edges, is_degraded: isDegraded }: RunView): readonly string[] {
  const silent = edges.filter(({ is_silent: isSilent }) => isSilent).map(({ edge_id: edgeId }) => edgeId);
  return [
    ...(isDegraded ? ['degraded'] : []),
    ...(silent.length === 0 ? [] : [`silent: ${shortened(silent)}`]),
  ];
}

function startingLine({ phase, waiting_for: waiting, refusals, edges_min: least, edges }: RunView): string {
  if (phase === 'waiting_for_edges') return `waiting for edges: ${edges.length} of at least ${least}`;
  const [refusal] = refusals;
  const why = refusal === undefined ? '' : ` (${refusal.edge_id}: ${refusal.code}, ${refusal.reason})`;
  return `waiting for ${shortened(waiting)}${why}`;
}

/** The names, or their number and the first of them. */
export function shortened(names: readonly string[]): string {
  if (names.length <= NAMES_MAX) return names.join(', ');
  return `${names.length.toLocaleString('en')} edges: ${names.slice(0, NAMES_MAX).join(', ')}, …`;
}

function clockOf({ elapsed_s: elapsed, planned_s: planned, phase, funded }: RunView): string {
  if (phase === 'funding' && funded !== null)
    return ` ${funded.funded}/${countedText(funded.count, 'account')}`;
  if (elapsed === null || elapsed === 0) return '';
  return ` ${Math.min(elapsed, planned).toFixed(0)}/${planned.toFixed(0)} s`;
}

function latencyOf({ latencies }: RunView): readonly string[] {
  const latency = latencies['feed_latency'] ?? latencies['block_latency'] ?? latencies['ack_latency'];
  if (latency === undefined) return [];
  return [`p50 ${latency.p50.toFixed(0)} ms p99 ${latency.p99.toFixed(0)} ms`];
}

function violationsOf({ violations }: RunView): readonly string[] {
  const count = Object.values(violations).reduce((sum, one) => sum + one, 0);
  return count === 0 ? [] : [countedText(count, 'violation')];
}
