import { fork, type ChildProcess } from 'node:child_process';

/** Requests by name with their arguments and results, which must survive structured cloning. */
export type Protocol = Readonly<Record<string, readonly [request: unknown, reply: unknown]>>;

export type Handlers<P extends Protocol> = {
  readonly [Name in keyof P]: (request: P[Name][0]) => P[Name][1] | Promise<P[Name][1]>;
};

interface Outcome {
  readonly value?: unknown;
  readonly error?: string;
}

const NODE_FLAGS = ['--expose-gc', '--max-old-space-size=12288', '--disable-warning=ExperimentalWarning'];

/**
 * A program in its own process, so that heap, threads and garbage of engines are separate. It handles one
 * request at a time.
 */
export class RemoteProcess<P extends Protocol> {
  readonly #child: ChildProcess;

  constructor(program: URL) {
    this.#child = fork(program, { execArgv: NODE_FLAGS, serialization: 'advanced' });
  }

  call<Name extends keyof P & string>(name: Name, request: P[Name][0]): Promise<P[Name][1]> {
    return new Promise((resolve, reject) => {
      const gone = (code: number | null): void => {
        reject(new Error(`${name}: the process ended with ${String(code)}`));
      };
      this.#child.once('exit', gone);
      this.#child.once('message', (outcome: Outcome) => {
        this.#child.off('exit', gone);
        if (outcome.error === undefined) resolve(outcome.value);
        else reject(new Error(`${name}: ${outcome.error}`));
      });
      this.#child.send({ name, request });
    });
  }

  /** Waits until the process has ended. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.disconnect();
    await ended;
  }
}

/** Answers the requests of the parent process until it disconnects. */
export function serveParent<P extends Protocol>(handlers: Handlers<P>): void {
  process.on('message', ({ name, request }: { name: keyof P; request: never }) => {
    void outcomeOf(handlers[name], request).then((outcome) => process.send?.(outcome));
  });
  process.on('disconnect', () => {
    process.exit(0);
  });
}

async function outcomeOf(handler: (request: never) => unknown, request: never): Promise<Outcome> {
  try {
    return { value: await handler(request) };
  } catch (error) {
    console.error(error);
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
