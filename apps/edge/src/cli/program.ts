import { Command, Option } from 'commander';
import { VERSION } from '../version.ts';
import { EXIT, exitCodeOf } from './exit-code.ts';
import { failureText } from './failure-text.ts';
import { runEdge } from './run-edge.ts';

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
  return new Command('plexus-edge')
    .description('a worker of load tests: connects to a hive, and does what it orders until SIGTERM')
    .requiredOption('--config <edge.toml>', 'the edge, its hive, its limits')
    .addOption(new Option('--log-format <format>', 'form of log lines').choices(['text', 'json']))
    .version(VERSION, '-V, --version')
    .allowExcessArguments(false)
    .exitOverride()
    .showHelpAfterError('(plexus-edge --help shows what there is)')
    .action(({ config, logFormat }: { config: string; logFormat?: string }) =>
      runEdge(config, { logFormat }),
    );
}
