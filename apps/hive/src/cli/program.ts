import { Command, Option } from 'commander';
import { VERSION } from '../version.ts';
import { addRun } from './commands/run.ts';
import { addServe } from './commands/serve.ts';
import { addSweep } from './commands/sweep.ts';
import { EXIT, exitCodeOf } from './exit-code.ts';
import { failureText } from './failure-text.ts';

/** Runs one command line, without the names of the runtime and the script; gives the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    return EXIT.fine;
  } catch (error) {
    const text = failureText(error);
    if (text !== undefined) console.error(text);
    return exitCodeOf(error);
  }
}

function createProgram(): Command {
  const program = new Command('plexus-hive')
    .description('coordinates load tests: edges connect to it, runs are begun on it, reports come from it')
    .addOption(new Option('--log-format <format>', 'form of log lines').choices(['text', 'json']))
    .version(VERSION, '-V, --version')
    .exitOverride()
    .showHelpAfterError('(plexus-hive --help shows what there is)');
  for (const add of [addServe, addRun, addSweep]) add(program);
  for (const command of program.commands) command.copyInheritedSettings(program).allowExcessArguments(false);
  return program;
}
