/**
 * Anvil as a child process that never outlives its parent. A shell between them waits for the end of its
 * standard input, which occurs when the parent closes it, or when the parent is killed and the kernel closes
 * it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { DomainError } from '#platform/foundation';

export interface AnvilOptions {
  readonly binary: string;
  readonly chainId: number;
  readonly blockMs: number;
}

/**
 * $@ is anvil with its arguments. The shell exits with anvil, and ends anvil at the end of standard input.
 */
const GUARD = `
exec 3<&0
"$@" </dev/null 3<&- & child=$!
{ read -r _ <&3; kill -KILL "$child" 2>/dev/null; } >/dev/null 2>&1 & guard=$!
exec 3<&-
wait "$child"; status=$?
kill "$guard" 2>/dev/null
exit "$status"
`;
const LISTENING = /^Listening on \S+:(\d+)$/;
const BALANCE_ETHER = '1000000';
/** The base fee targets half of it: about 11,000 transfers per second before it rises. */
const BLOCK_GAS = '120000000';
const OUTPUT_LINES_MAX = 20;

export class AnvilProcess {
  readonly port: number;
  /** Rejects if anvil exits on its own. */
  readonly failure: Promise<never>;
  readonly #child: ChildProcess;
  #isClosing = false;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    this.failure = once(child, 'exit').then(([code]: unknown[]) => {
      if (this.#isClosing) return new Promise<never>(() => undefined);
      throw new DomainError('INTERNAL_ERROR', `anvil exited unexpectedly with ${String(code)}`);
    });
    this.failure.catch(() => undefined);
  }

  /** Resolves when anvil listens, on a port chosen by anvil. */
  static async start(options: AnvilOptions): Promise<AnvilProcess> {
    const child = spawn('/bin/sh', ['-c', GUARD, 'sh', options.binary, ...argumentsOf(options)], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const said: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => keep(said, line));
    for await (const line of createInterface({ input: child.stdout })) {
      keep(said, line);
      const [, port] = LISTENING.exec(line) ?? [];
      if (port === undefined) continue;
      child.stdout.resume();
      return new AnvilProcess(child, Number(port));
    }
    throw new DomainError('INVALID_CONFIG', `anvil exited before it listened: ${said.join(' | ')}`);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await ended;
  }
}

function argumentsOf({ chainId, blockMs }: AnvilOptions): string[] {
  return [
    ['--host', '127.0.0.1', '--port', '0'],
    ['--chain-id', String(chainId), '--block-time', String(blockMs / 1_000)],
    ['--order', 'fifo', '--balance', BALANCE_ETHER, '--gas-limit', BLOCK_GAS],
  ].flat();
}

function keep(lines: string[], line: string): void {
  lines.push(line);
  if (lines.length > OUTPUT_LINES_MAX) lines.shift();
}
