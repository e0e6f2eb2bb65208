/** Every command of every program refuses what it does not take, in the same way. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Command, type Option } from 'commander';
import { type Program, runProgram } from '#platform/cli';
import { edgeProgram } from '../apps/edge/src/cli/program.ts';
import { graphProgram } from '../apps/graph/src/cli/program.ts';
import { hiveProgram } from '../apps/hive/src/cli/program.ts';
import { proxyProgram } from '../apps/proxy-admin/src/cli/program.ts';
import { sequencerProgram } from '../apps/sequencer/src/cli/program.ts';

/** A command with the words that lead to it. */
interface Reached {
  readonly words: readonly string[];
  readonly command: Command;
  readonly run: (args: readonly string[]) => Promise<number>;
}

async function commandsOf<Context>(program: Program<Context>): Promise<readonly Reached[]> {
  const root = new Command(program.name);
  program.addTo?.(root, program.context);
  for (const { name, load } of program.commands) (await load()).addTo(root.command(name), program.context);
  const run = (args: readonly string[]): Promise<number> => runProgram(program, args);
  const below = (command: Command, words: readonly string[]): readonly Reached[] => [
    { words, command, run },
    ...command.commands.flatMap((child) => below(child, [...words, child.name()])),
  ];
  return below(root, []);
}

const REACHED = (
  await Promise.all([
    commandsOf(graphProgram()),
    ...[hiveProgram(), proxyProgram(), edgeProgram(), sequencerProgram()].map(commandsOf),
  ])
).flat();

const named = REACHED.map((reached) => [rootOf(reached).concat(reached.words).join(' '), reached] as const);

function rootOf({ command }: Reached): readonly string[] {
  let root = command;
  while (root.parent !== null) root = root.parent;
  return [root.name()];
}

/** The last two letters change places; a name of equal ones loses its last. */
function misspelt(name: string): string {
  const [last = '', before = ''] = [name.at(-1), name.at(-2)];
  return last === before ? name.slice(0, -1) : name.slice(0, -2) + last + before;
}

function longOptions(command: Command): readonly (Option & { long: string })[] {
  return command.options.filter((option): option is Option & { long: string } => option.long !== undefined);
}

describe('each command', () => {
  let errors: string[];
  let results: string[];
  beforeEach(() => {
    errors = [];
    results = [];
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => !!results.push(String(text)));
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => !!errors.push(String(text)));
    jest.spyOn(console, 'error').mockImplementation((text: string) => void errors.push(text));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const refused = async ({ words, run }: Reached, ...args: readonly string[]): Promise<string> => {
    errors = [];
    const code = await run([...words, ...args]);
    expect([args, code, results]).toEqual([args, 2, []]);
    return errors.join('');
  };

  it.each(named)(
    '%s refuses an unknown flag, and names the nearest of a misspelt one',
    async (_, reached) => {
      expect(await refused(reached, '--nonsense')).toContain("unknown option '--nonsense'");
      for (const { long } of longOptions(reached.command)) {
        const text = await refused(reached, misspelt(long));
        expect(text).toContain(misspelt(long));
        expect(text).toContain(`Did you mean ${long}?`);
      }
    },
  );

  it.each(named)(
    '%s refuses other values than the choices of a flag, and names those',
    async (_, reached) => {
      for (const { long, argChoices } of longOptions(reached.command)) {
        if (argChoices === undefined) continue;
        const text = await refused(reached, long, 'nonsense');
        expect(text).toContain(long);
        expect(text).toContain(argChoices.join(', '));
      }
    },
  );

  it.each(named)('%s refuses what is missing or too much, and a misspelt command', async (_, reached) => {
    const { command } = reached;
    for (const child of command.commands) {
      expect(await refused(reached, misspelt(child.name()))).toContain(`Did you mean ${child.name()}?`);
    }
    if (command.commands.length > 0) {
      expect(await refused(reached)).toContain('Usage:');
      return;
    }
    const takes = command.registeredArguments;
    const needed = takes.find(({ required }) => required);
    if (needed !== undefined) expect(await refused(reached)).toContain(needed.name());
    const values = takes.map(({ argChoices = ['x'] }) => argChoices[0] ?? 'x');
    for (const { long, mandatory } of longOptions(command))
      if (mandatory) expect(await refused(reached, ...values)).toContain(long);
    if (takes.some(({ variadic }) => variadic)) return;
    expect(await refused(reached, ...values, 'too-much')).toContain('too many arguments');
  });
});
