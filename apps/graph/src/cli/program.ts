import { Command, Option } from 'commander';
import { VERSION } from '../version.ts';
import { type CommandContext, commandContext } from './command-context.ts';
import { EXIT, exitCodeOf } from './exit-code.ts';
import { failureText } from './failure-text.ts';
import { Output } from './output.ts';

interface CommandEntry {
  readonly name: string;
  readonly about: string;
  /** Its arguments and action: loaded when it is the command that is run. */
  readonly load: () => Promise<{ addTo(command: Command, context: CommandContext): void }>;
}

/** Only `serve` needs all of the program, and none of the others is to wait for it. */
const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'serve',
    about: 'serve the graph over REST until SIGTERM',
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'query',
    about: 'run PQL on a server (--url), or on a data directory that no server holds',
    load: () => import('./commands/query.ts'),
  },
  {
    name: 'ingest',
    about: 'load one operation a line, as POST /v1/ingest/bulk takes them; - reads standard input',
    load: () => import('./commands/ingest.ts'),
  },
  {
    name: 'stats',
    about: 'counts and state of the store, as JSON',
    load: () => import('./commands/stats.ts'),
  },
  { name: 'wal', about: 'look at the write-ahead log', load: () => import('./commands/wal-dump.ts') },
  {
    name: 'backup',
    about: 'copy the store of a running server to a file, or of a data directory that no server holds',
    load: () => import('./commands/backup.ts'),
  },
  {
    name: 'restore',
    about: 'make a data directory from a backup of a running server',
    load: () => import('./commands/restore.ts'),
  },
  {
    name: 'connector',
    about: 'connectors: what they are, and runs of them',
    load: () => import('./commands/connector.ts'),
  },
  {
    name: 'policy',
    about: 'rules: check them, test them, evaluate them',
    load: () => import('./commands/policy.ts'),
  },
];

/** Runs one command line, without the names of the runtime and the script; gives the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const program = await createProgram(new Output(process.stdout), args);
  try {
    await program.parseAsync(args, { from: 'user' });
    return EXIT.fine;
  } catch (error) {
    const text = failureText(error);
    if (text !== undefined) console.error(text);
    return exitCodeOf(error);
  }
}

async function createProgram(output: Output, args: readonly string[]): Promise<Command> {
  const program = new Command('plexus')
    .description('a durable graph of what infrastructure consists of, and PQL to ask it')
    .addOption(new Option('--log-format <format>', 'form of log lines').choices(['text', 'json']))
    .version(VERSION, '-V, --version')
    .exitOverride()
    .showHelpAfterError('(plexus --help shows what there is)');
  const context = commandContext(output);
  const wanted = args.find((arg) => COMMANDS.some(({ name }) => name === arg));
  for (const { name, about, load } of COMMANDS) {
    const command = program.command(name).description(about);
    if (name === wanted) (await load()).addTo(command, context);
  }
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
