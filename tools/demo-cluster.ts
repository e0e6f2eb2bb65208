/**
 * A demonstration of fail-over on this machine: three PostgreSQL servers, two of them standbys, three nodes
 * over them, writers and readers on all nodes. A node is killed and restarted, then the primary database is
 * killed and a standby promoted. At the end every acknowledged write is looked up on every node. Exits 0 only
 * when all were found, and no version was torn and no read stale.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { stopSignal } from '#platform/foundation';
import { startServer } from '../apps/graph/test/support/built-program.ts';
import { ClusterLoad } from '../libs/graph/testing/src/cluster/cluster-load.ts';
import { ClusterUnderTest } from '../libs/graph/testing/src/cluster/cluster-under-test.ts';
import { postgresMissing } from '../libs/graph/testing/src/cluster/postgres-process.ts';
import { faultsOf, linesOf, takeCounts } from './demo/cluster-counts.ts';
import { ClusterScene } from './demo/cluster-scene.ts';
import { frameOf } from './demo/cluster-view.ts';
import { ClusterWatch } from './demo/cluster-watch.ts';
import { LiveScreen } from './demo/live-screen.ts';

const USAGE = 'usage: npm run demo:cluster [-- --seconds <2 to 600>]';
const SECONDS = { usual: 25, min: 2, max: 600 };
/** Time beyond the load, for starts and a promotion. */
const REST_S_MAX = 120;
const COUNT_MS_MAX = 60_000;
const LOOK_MS = 250;
const NEXT = `
Next
  docs/cluster.md    what is promised, topologies, a fail-over step by step
  PLEXUS_STORE_PASSWORD=… bin/plexus serve --store postgres://user@host-a:5432,host-b:5432/database`;

class Demo {
  readonly #screen = new LiveScreen(process.stdout, process.env);
  readonly #events: string[] = [];
  readonly #seconds: number;
  readonly #signal: AbortSignal;
  #startMs: number | undefined;

  constructor(seconds: number, signal: AbortSignal) {
    this.#seconds = seconds;
    this.#signal = signal;
  }

  /** Whether all guarantees held. */
  async run(): Promise<boolean> {
    if (process.getuid?.() === 0) {
      this.#say('PostgreSQL refuses to run as root: the databases run as the user nobody');
    }
    this.#say('starting three databases and three nodes …');
    const cluster = await ClusterUnderTest.start(startServer);
    const load = new ClusterLoad(cluster.nodes, Math.random);
    try {
      const faults = await this.#play(cluster, load);
      this.#signal.throwIfAborted();
      const verdict = '\nPassed: every acknowledged write is on every node, intact.';
      this.#say(faults.length === 0 ? verdict : `\nIT DID NOT HOLD: ${faults.join('; ')}`);
      this.#say(faults.length === 0 ? NEXT : `Logs of all processes: ${await keepLogs(cluster)}`);
      return faults.length === 0;
    } finally {
      await cluster.stop();
      await load.stop();
    }
  }

  /** Returns the violated guarantees. */
  async #play(cluster: ClusterUnderTest, load: ClusterLoad): Promise<readonly string[]> {
    this.#signal.throwIfAborted();
    const watch = new ClusterWatch(cluster, load);
    const seconds = this.#seconds;
    const late = AbortSignal.timeout((seconds + REST_S_MAX) * 1_000);
    const signal = AbortSignal.any([this.#signal, late]);
    const scene = new ClusterScene(cluster, load, watch, { seconds, signal, say: (text) => this.#say(text) });
    const over = new AbortController();
    this.#startMs = performance.now();
    const playing = scene.play().finally(() => over.abort());
    // Awaits both, so that processes started by the scene are ended with the rest.
    const ends = await Promise.allSettled([playing, this.#draw(watch, load, over.signal)]);
    const failures = ends.flatMap((end) => (end.status === 'rejected' ? [messageOf(end.reason)] : []));
    if (late.aborted) failures.unshift(`not done ${REST_S_MAX} s after its time`);
    this.#screen.end();
    this.#signal.throwIfAborted();
    this.#startMs = undefined;
    await load.stop();
    const within = AbortSignal.any([this.#signal, AbortSignal.timeout(COUNT_MS_MAX)]);
    const counts = await takeCounts(load, cluster.nodes, within);
    this.#say(['', ...linesOf(counts)].join('\n'));
    return [...failures, ...faultsOf(counts)];
  }

  async #draw(watch: ClusterWatch, load: ClusterLoad, over: AbortSignal): Promise<void> {
    let leader: string | undefined;
    for (;;) {
      const isLast = over.aborted;
      await watch.look();
      const { name = leader } = watch.leader ?? {};
      if (leader !== undefined && name !== leader) this.#say(`node ${name} leads now: schedules run there`);
      leader = name;
      const kinds = Map.groupBy(load.violations, ({ kind }) => kind);
      const counts = {
        'writes acknowledged': load.writes,
        'reads checked': load.reads,
        torn: kinds.get('torn')?.length ?? 0,
        behind: kinds.get('behind')?.length ?? 0,
        'retried after 503': load.refused,
      };
      const { nodes, databases, rates } = watch;
      const sight = { elapsedS: this.#elapsedS, nodes, databases, rates, counts, events: this.#events };
      this.#screen.draw(frameOf(sight, this.#screen));
      if (isLast) return;
      await pause(LOOK_MS, undefined, { signal: over }).catch(() => undefined);
    }
  }

  get #elapsedS(): number {
    return (performance.now() - (this.#startMs ?? performance.now())) / 1_000;
  }

  /** During the load, with the time; on a terminal within the drawing. */
  #say(text: string): void {
    const isPlaying = this.#startMs !== undefined;
    const line = isPlaying ? `${this.#elapsedS.toFixed(1).padStart(5)} s  ${text}` : text;
    if (isPlaying && this.#screen.isLive) this.#events.push(line);
    else this.#screen.say(line);
  }
}

async function keepLogs(cluster: ClusterUnderTest): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'plexus-demo-'));
  for (const { name, log } of cluster.nodes)
    await writeFile(join(directory, `node-${name}.log`), log.join('\n'));
  for (const { name, log } of cluster.trio.all) await writeFile(join(directory, `${name}.log`), log.join(''));
  return directory;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Undefined for wrong usage. */
function secondsOf(args: string[]): number | undefined {
  try {
    const { values } = parseArgs({ args, options: { seconds: { type: 'string' } } });
    const seconds = Number(values.seconds ?? SECONDS.usual);
    return seconds >= SECONDS.min && seconds <= SECONDS.max ? seconds : undefined;
  } catch {
    return undefined;
  }
}

async function main(): Promise<number> {
  const seconds = secondsOf(process.argv.slice(2));
  const missing = postgresMissing();
  if (seconds === undefined || missing !== undefined) {
    console.error(seconds === undefined ? USAGE : `demo: ${missing}`);
    return seconds === undefined ? 2 : 1;
  }
  const stop = stopSignal();
  const ended = new AbortController();
  void stop.promise.then((reason) => ended.abort(new Error(reason)));
  // The reader of the output may close it; the processes of the demo are ended in any case.
  process.stdout.on('error', () => stop.request('SIGPIPE'));
  try {
    return (await new Demo(seconds, ended.signal).run()) ? 0 : 1;
  } catch (error) {
    console.error(`demo: ${stop.reason ?? messageOf(error)}: all started processes were ended`);
    const number = constants.signals[stop.reason as NodeJS.Signals] as number | undefined;
    return number === undefined ? 1 : 128 + number;
  } finally {
    stop.close();
  }
}

process.exitCode = await main();
