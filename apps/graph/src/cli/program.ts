import { Command, Option } from 'commander';
import { VERSION } from '../version.ts';
import { commandContext } from './command-context.ts';
import { addBackup } from './commands/backup.ts';
import { addConnector } from './commands/connector.ts';
import { addIngest } from './commands/ingest.ts';
import { addPolicy } from './commands/policy.ts';
import { addQuery } from './commands/query.ts';
import { addRestore } from './commands/restore.ts';
import { addServe } from './commands/serve.ts';
import { addStats } from './commands/stats.ts';
import { addWal } from './commands/wal-dump.ts';
import { EXIT, exitCodeOf } from './exit-code.ts';
import { failureText } from './failure-text.ts';
import { Output } from './output.ts';

/** Runs one command line, without the names of the runtime and the script; gives the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const program = createProgram(new Output(process.stdout));
  try {
    await program.parseAsync(args, { from: 'user' });
    return EXIT.fine;
  } catch (error) {
    const text = failureText(error);
    if (text !== undefined) console.error(text);
    return exitCodeOf(error);
  }
}

function createProgram(output: Output): Command {
  const program = new Command('plexus')
    .description('a durable graph of what infrastructure consists of, and PQL to ask it')
    .addOption(new Option('--log-format <format>', 'form of log lines').choices(['text', 'json']))
    .version(VERSION, '-V, --version')
    .exitOverride()
    .showHelpAfterError('(plexus --help shows what there is)');
  const context = commandContext(output);
  for (const add of [
    addServe,
    addQuery,
    addIngest,
    addStats,
    addWal,
    addBackup,
    addRestore,
    addConnector,
    addPolicy,
  ])
    add(program, context);
  program
    .command('version')
    .description('show the version')
    .action(() => output.line(VERSION));
  inheritSettings(program);
  return program;
}

/** Subcommands end in the same way, and refuse what they do not take. */
function inheritSettings(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command).allowExcessArguments(false);
    inheritSettings(child);
  }
}
