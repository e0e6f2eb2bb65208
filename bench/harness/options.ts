import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly entities: number;
  readonly rounds: number;
  readonly roundMs: number;
  readonly seed: number;
  /** Duration, for benchmarks that need one. */
  readonly seconds: number | undefined;
  /** Number of programs, for benchmarks that start them. */
  readonly programs: number | undefined;
  /** Transactions a second, for benchmarks that send at a fixed rate. */
  readonly rate: number | undefined;
  /** A checkout of another revision, for benchmarks that compare with it. */
  readonly before: string | undefined;
  /** Another measurement of the same program. */
  readonly mode: 'delay' | 'size' | undefined;
  /** Empty for all. */
  readonly targets: readonly string[];
  /** A directory on a disk; emptied as needed. */
  readonly directory: string;
}

const QUICK = { entities: '20000', rounds: '5', 'round-ms': '40' } as const;
const THOROUGH = { entities: '100000', rounds: '5', 'round-ms': '200' } as const;

/** Parses the command line; prints a fault and exits with 2. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      entities: { type: 'string' },
      rounds: { type: 'string' },
      'round-ms': { type: 'string' },
      seed: { type: 'string', default: '1' },
      seconds: { type: 'string' },
      programs: { type: 'string' },
      rate: { type: 'string' },
      before: { type: 'string' },
      targets: { type: 'string', default: '' },
      dir: { type: 'string', default: join(tmpdir(), 'plexus-bench') },
      quick: { type: 'boolean', default: false },
      delay: { type: 'boolean', default: false },
      size: { type: 'boolean', default: false },
    },
  });
  const preset = values.quick ? QUICK : THOROUGH;
  const directory = resolve(values.dir);
  mkdirSync(directory, { recursive: true });
  return {
    entities: wholeNumber('entities', values.entities ?? preset.entities),
    rounds: wholeNumber('rounds', values.rounds ?? preset.rounds),
    roundMs: wholeNumber('round-ms', values['round-ms'] ?? preset['round-ms']),
    seed: wholeNumber('seed', values.seed),
    seconds: values.seconds === undefined ? undefined : wholeNumber('seconds', values.seconds),
    programs: values.programs === undefined ? undefined : wholeNumber('programs', values.programs),
    rate: values.rate === undefined ? undefined : wholeNumber('rate', values.rate),
    before: values.before === undefined ? undefined : resolve(values.before),
    mode: modeOf(values),
    targets: values.targets.split(',').filter((name) => name !== ''),
    directory,
  };
}

function modeOf({ delay, size }: Readonly<Record<'delay' | 'size', boolean>>): BenchOptions['mode'] {
  if (delay) return 'delay';
  return size ? 'size' : undefined;
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name}: expected a positive whole number, got ${text}`);
  process.exit(2);
}
