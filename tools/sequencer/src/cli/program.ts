import { Command, CommanderError, Option } from 'commander';
import { parseSettings, readEnvironment } from '#config';
import { DomainError, stopSignal } from '#foundation';
import { createLogger } from '#observability';
import { findAnvil } from '../anvil/anvil-binary.ts';
import { startAnvilNode } from '../anvil/start-anvil-node.ts';
import { FAULT_NAMES, type FaultPlan, parseFaults } from '../fault/fault-plan.ts';
import type { SequencerNode } from '../sequencer-node.ts';
import { type SequencerSettings, SETTING_PREFIX, SETTING_TABLE } from '../settings.ts';
import { startSim } from '../sim/start-sim.ts';

const EXIT = { fine: 0, failed: 1, wrongUsage: 2 } as const;

type Flags = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Runs one command line, without the names of the runtime and the script; gives the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    const program = createProgram();
    program.parse(args, { from: 'user' });
    await serve(program.opts<Flags>());
    return EXIT.fine;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.wrongUsage;
    console.error(textOf(error));
    return error instanceof DomainError && error.code === 'INVALID_CONFIG' ? EXIT.wrongUsage : EXIT.failed;
  }
}

function createProgram(): Command {
  return new Command('plexus-sequencer')
    .description('a sequencer for development: JSON-RPC and the feed of an Arbitrum-style chain')
    .addOption(new Option('--mode <mode>', 'what executes transactions').choices(['anvil', 'sim']))
    .option('--host <address>', 'address to listen on (127.0.0.1)')
    .option('--rpc-port <port>', 'port of JSON-RPC, 0 for any (8547)')
    .option('--feed-port <port>', 'port of the feed, 0 for any (9642)')
    .option('--chain-id <id>', 'chain id (412346)')
    .option('--block-ms <ms>', 'milliseconds from block to block (250)')
    .option('--fault <name=value...>', `what goes wrong, with --mode sim: ${FAULT_NAMES.join(', ')}`)
    .addOption(new Option('--log-format <format>', 'form of log lines').choices(['text', 'json']))
    .exitOverride()
    .allowExcessArguments(false)
    .showHelpAfterError('(plexus-sequencer --help shows what there is)');
}

async function serve({ fault, ...flags }: Flags): Promise<void> {
  const environment = readEnvironment();
  const settings = parseSettings(SETTING_TABLE, {
    environment,
    flags: flags as Readonly<Record<string, string>>,
    prefix: SETTING_PREFIX,
  });
  const faults = parseFaults(typeof fault === 'object' ? fault : []);
  const stop = stopSignal();
  const node = await start(settings, faults, environment);
  console.log(readyLine(settings, node));
  try {
    await Promise.race([stop.promise, node.failure]);
  } finally {
    await node.close();
  }
}

function start(
  settings: SequencerSettings,
  faults: FaultPlan,
  environment: ReturnType<typeof readEnvironment>,
): Promise<SequencerNode> {
  const log = createLogger({ format: settings.logFormat, level: settings.logLevel });
  if (settings.mode === 'sim') return startSim(settings, faults, log);
  if (Object.keys(faults).length > 0) {
    throw new DomainError(
      'INVALID_CONFIG',
      '--fault goes with --mode sim: anvil makes no mistakes on purpose',
    );
  }
  return startAnvilNode(settings, findAnvil(environment), log);
}

function readyLine({ mode, chainId, host }: SequencerSettings, { rpcPort, feedPort }: SequencerNode): string {
  const name = host.includes(':') ? `[${host}]` : host;
  const where = `rpc http://${name}:${rpcPort}, feed ws://${name}:${feedPort}`;
  return `plexus-sequencer is ready: mode ${mode}, chain id ${chainId}, ${where}`;
}

/** What a person is told; a defect shows its stack. */
function textOf(error: unknown): string {
  if (error instanceof DomainError) return `plexus-sequencer: ${error.message}`;
  if (error instanceof Error && 'syscall' in error) return `plexus-sequencer: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
