import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type Command, Option } from 'commander';
import { booleanSetting, durationSetting, secretSetting, stringSetting } from '#platform/config';
import { progressText } from './progress.ts';
import { commandSettings, type Program, runProgram } from './program.ts';

const TABLE = {
  dataDir: stringSetting({ env: 'TEST_DATA_DIR', about: 'data directory', fallback: './data' }),
  bestEffort: booleanSetting({ env: 'TEST_BEST_EFFORT', about: 'on: goes on', fallback: false }),
  timeout: durationSetting({ env: 'TEST_TIMEOUT', about: 'longest work', fallback: 90_000 }),
  apiKey: secretSetting({ env: 'TEST_API_KEY', about: 'key of requests' }),
};

let read: unknown;
const program: Program = {
  name: 'test',
  about: 'a test',
  settings: () => Promise.resolve(TABLE),
  context: undefined,
  commands: [
    {
      name: 'serve',
      about: 'serve',
      takesSettings: true,
      load: () =>
        Promise.resolve({
          addTo: (command) =>
            void command
              .option('--data-dir <path>', 'data directory')
              .option('--best-effort', 'go on')
              .addOption(new Option('--how <way>', 'the way').choices(['a', 'b']).default('a'))
              .action((_options: object, command: Command) => {
                read = commandSettings(command, TABLE, 'TEST_');
              }),
        }),
    },
    {
      name: 'ask',
      about: 'ask',
      load: () => Promise.resolve({ addTo: (command) => void command.option('--url <url>', 'server') }),
    },
  ],
};

async function printed(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => !!out.push(String(text)));
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => !!err.push(String(text)));
  jest.spyOn(console, 'error').mockImplementation((text: string) => void err.push(text));
  const code = await runProgram(program, args);
  return { code, out: out.join(''), err: err.join('') };
}

describe('the help of a command', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('shows defaults and variables of flags, and the variables without one', async () => {
    const { out } = await printed('serve', '--help');
    const text = out.replaceAll(/\s+/g, ' ');

    expect(text).toContain('--data-dir <path> data directory (default: ./data; env: TEST_DATA_DIR)');
    expect(text).toContain('--best-effort go on (default: off; env: TEST_BEST_EFFORT)');
    expect(text).toContain('--how <way> the way (one of a, b; default: a)');
    expect(text).toContain('TEST_TIMEOUT longest work (default: 90s)');
    expect(text).toContain('TEST_API_KEY key of requests');
    expect(text).toContain('--color <when>');
  });

  it('shows the key of a command that calls a server', async () => {
    const { out } = await printed('ask', '--help');

    expect(out).toContain('TEST_API_KEY');
    expect(out).not.toContain('TEST_TIMEOUT');
  });

  it('has colours where they are wanted', async () => {
    const always = await printed('ask', '--help', '--color', 'always');
    const never = await printed('ask', '--help', '--color', 'never');
    await printed('ask', '--help', '--color', 'auto');

    expect(always.out).toContain('\x1b[1mUsage:\x1b[22m');
    expect(never.out).not.toContain('\x1b');
  });
});

describe('a command line', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each([
    [['sevre'], 'serve'],
    [['serve', '--data-dri', 'x'], '--data-dir'],
    [['serve', '--how', 'c'], 'Allowed choices are a, b'],
  ])('refuses %j and names the nearest', async (args, nearest) => {
    const { code, err } = await printed(...args);

    expect([code, err]).toEqual([2, expect.stringContaining(nearest)]);
  });

  it('turns a setting on by a flag without a value', async () => {
    await printed('serve', '--best-effort');

    expect(read).toMatchObject({ bestEffort: true, dataDir: './data' });
  });
});

describe('progressText', () => {
  it.each([
    [0, 1_000_000, 0, '0 kB of 1.0 MB, 0 s so far'],
    [250_000, 1_000_000, 1_000, '250 kB of 1.0 MB, 250 kB/s, 3 s left'],
    [5_000_000, undefined, 2_000, '5.0 MB, 2.5 MB/s, 2 s so far'],
    [1_000_000, 400_000_000, 1_000, '1.0 MB of 400.0 MB, 1.0 MB/s, 6 min 39 s left'],
    [1_000_000, 8_000_000_000, 1_000, '1.0 MB of 8000.0 MB, 1.0 MB/s, 2 h 13 min left'],
  ])('of %d of %s bytes after %d ms is %s', (done, total, elapsedMs, text) => {
    expect(progressText(done, total, elapsedMs)).toBe(text);
  });
});
