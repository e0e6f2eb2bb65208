/**
 * A small estate on this machine, in one graph: a directory, a database, a container engine, a scan, a
 * cluster's objects, a bill with advisories, and a collection of SharpHound. Everything listens on the
 * loopback. One path leads over all of them, from a phished user to a table with personal data; a rule finds
 * it, and a webhook hears of it. Then the console stays open until Ctrl-C; with `--once` the demo ends by
 * itself. Exits 0 only when every question has its answer.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { load } from 'js-yaml';
import { Resources, stopSignal } from '#platform/foundation';
import { runProgram, type RunningServer, startServer } from '../apps/graph/test/support/built-program.ts';
import type { Source } from './demo/estate-source.ts';
import { ENVIRONMENT, SAMPLES, startSources, writeConnectors } from './demo/estate-sources.ts';

const USAGE = 'usage: npm run demo:estate [-- --once]';
const QUESTIONS = join(SAMPLES, 'questions.yaml');
const HOOK_MS_MAX = 60_000;
const RULE = 'personal-data-behind-an-exploited-package';
/** What the answer to each question has to name. */
const ANSWERS: ReadonlyMap<string, string> = new Map([
  ['Which pods run a package that is being exploited', 'CVE-2021-44228'],
  ['Which roles can read personal data', 'prod/shop/shop'],
  ['How does the phished user reach personal data', 'public.customers'],
]);

/** A query that the console shows as a saved one. */
interface Question {
  readonly name: string;
  readonly text: string;
  readonly parameters?: Readonly<Record<string, { readonly default: string }>>;
}

/** Who is phished: the last message of the webhook is about him. */
const PHISHED = 'IVAN@CORP.EXAMPLE';

/** The used part of the body of a webhook. */
interface Message {
  readonly event: string;
  readonly findings: readonly { readonly rule: string; readonly label: string }[];
}

interface Hook {
  readonly url: string;
  /** The first message that has a finding about whoever is phished. */
  readonly message: Promise<Message>;
}

class Demo {
  readonly #opened = new Resources();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** The console is open until what `stay` returns resolves. */
  async run(stay: () => unknown): Promise<void> {
    try {
      const directory = await this.#opened.open(
        () => mkdtemp(join(tmpdir(), 'plexus-estate-')),
        (path) => rm(path, { recursive: true, force: true }),
      );
      this.#say('starting an estate on this machine …\n');
      const place = { opened: this.#opened, directory, say: (line: string) => this.#say(line) };
      const sources = await startSources(place);
      this.#signal.throwIfAborted();
      const hook = await this.#listen();
      const server = await this.#serve(directory, sources, hook);
      await this.#collect(server, sources);
      await this.#ask(server);
      await this.#hear(hook);
      this.#say(nextOf(server.url));
      await stay();
    } finally {
      await this.#opened.close();
    }
  }

  /** The service, with the sources as its connectors and a channel for its findings. */
  async #serve(directory: string, sources: readonly Source[], hook: Hook): Promise<RunningServer> {
    const connectors = join(directory, 'connectors');
    await writeConnectors(connectors, sources);
    const notifications = join(directory, 'notifications.yaml');
    const channels = { hook: { type: 'webhook', url: hook.url, allow_private: ['127.0.0.1'] } };
    await writeFile(
      notifications,
      JSON.stringify({ channels, notifications: [{ on: ['opened'], to: 'hook' }] }),
    );
    const args = ['--data-dir', join(directory, 'data'), '--connectors', connectors];
    const more = ['--rules', join(SAMPLES, 'rules'), '--notifications', notifications];
    const server = await this.#opened.open(
      () => startServer([...args, ...more], ENVIRONMENT),
      (running) => running.end('SIGTERM'),
    );
    this.#say(`started  Plexus on ${server.url}\n`);
    return server;
  }

  async #collect(server: RunningServer, sources: readonly Source[]): Promise<void> {
    for (const { id, about } of sources) {
      const output = await this.#plexus('connector', 'run', id, '--url', server.url);
      const [, counts = ''] = /^total\s+(.*)$/m.exec(output) ?? [];
      this.#say(`${id.padEnd(11)}${about}\n${' '.repeat(11)}${counts}`);
    }
    await this.#plexus('queries', 'import', QUESTIONS, '--url', server.url);
  }

  async #ask(server: RunningServer): Promise<void> {
    for (const { name, text: pql, parameters = {} } of questions()) {
      const given = Object.entries(parameters).flatMap(([key, { default: value }]) => [
        '--param',
        `${key}=${value}`,
      ]);
      const reply = await this.#plexus('query', pql, ...given, '--url', server.url);
      this.#say(`\n${name}?\n\n${reply.trimEnd()}`);
      const expected = ANSWERS.get(name);
      if (expected === undefined || !reply.includes(expected))
        throw new Error(`expected ${expected ?? 'nothing'} in the answer to: ${name}?`);
    }
  }

  /** Receives what the service sends. */
  async #listen(): Promise<Hook> {
    const first = Promise.withResolvers<Message>();
    const server = createServer((request, reply) => {
      void text(request).then((body) => {
        reply.writeHead(204).end();
        const message = JSON.parse(body) as Message;
        if (message.findings.some(({ label }) => label.includes(PHISHED))) first.resolve(message);
      }, first.reject);
    });
    await this.#opened.open(
      async () => once(server.listen(0, '127.0.0.1'), 'listening'),
      () => server.close(),
    );
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${String(port)}/findings`, message: first.promise };
  }

  async #hear({ message }: Hook): Promise<void> {
    const late = AbortSignal.any([this.#signal, AbortSignal.timeout(HOOK_MS_MAX)]);
    const ended = Promise.withResolvers<never>();
    const end = (): void => ended.reject(new Error('expected the webhook to hear of the rule'));
    late.addEventListener('abort', end, { once: true });
    const { event, findings } = await Promise.race([message, ended.promise]);
    late.removeEventListener('abort', end);
    const lines = findings.map(({ rule, label }) => `  ${event}: ${label}: ${rule}`);
    this.#say(`\nThe webhook has received\n\n${lines.join('\n')}`);
  }

  /** Runs a command of the built program; throws with what it said if it fails. */
  async #plexus(...args: readonly string[]): Promise<string> {
    this.#signal.throwIfAborted();
    const { code, stdout, stderr } = await runProgram(args);
    this.#signal.throwIfAborted();
    if (code !== 0) throw new Error(`plexus ${args.join(' ')} has failed: ${stderr.trim()}\n${stdout}`);
    return `${stdout}${stderr}`;
  }

  #say(line: string): void {
    console.log(line);
  }
}

function questions(): readonly Question[] {
  const read = load(readFileSync(QUESTIONS, 'utf8')) as { readonly queries: readonly Question[] };
  return read.queries;
}

function nextOf(url: string): string {
  const { text: pql = '', parameters = {} } = questions().at(-1) ?? {};
  const given = Object.entries(parameters).map(([key, { default: value }]) => [key, value]);
  const query = new URLSearchParams({ q: pql, p: JSON.stringify(Object.fromEntries(given)) });
  return `
Look at it
  ${url}/#/query?${query.toString().replaceAll('+', '%20')}
  ${url}/#/saved
  ${url}/#/posture?rule=${RULE}
  ${url}/#/sources
Next
  samples/estate      the files of this estate: questions, rule, cluster, bill, advisories
  docs/connectors.md  your own sources
Ctrl-C ends the service and everything that was started.`;
}

/** Undefined for wrong usage. */
function isOnce(args: string[]): boolean | undefined {
  try {
    return parseArgs({ args, options: { once: { type: 'boolean' } } }).values.once ?? false;
  } catch {
    return undefined;
  }
}

async function main(): Promise<number> {
  const isEndedAtOnce = isOnce(process.argv.slice(2));
  if (isEndedAtOnce === undefined) {
    console.error(USAGE);
    return 2;
  }
  const stop = stopSignal();
  const ended = new AbortController();
  void stop.promise.then((reason) => ended.abort(new Error(reason)));
  // The reader of the output may close it; what was started is ended in any case.
  process.stdout.on('error', () => stop.request('SIGPIPE'));
  try {
    await new Demo(ended.signal).run(() => (isEndedAtOnce ? undefined : stop.promise));
    console.log('\nThe demo has ended: everything that was started is gone.');
    return 0;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    console.error(`demo: ${stop.reason ?? message}: all started processes were ended`);
    const number = constants.signals[stop.reason as NodeJS.Signals] as number | undefined;
    return number === undefined ? 1 : 128 + number;
  } finally {
    stop.close();
  }
}

process.exitCode = await main();
