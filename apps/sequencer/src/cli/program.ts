import { type Command, Option } from 'commander';
import { commandSettings, type Program } from '#platform/cli';
import { readEnvironment } from '#platform/config';
import { DomainError, stopSignal } from '#platform/foundation';
import { createLogger } from '#platform/observability';
import { findAnvil } from '../anvil/anvil-binary.ts';
import { startAnvilNode } from '../anvil/start-anvil-node.ts';
import { FAULT_NAMES, type FaultPlan, parseFaults } from '../fault-plan.ts';
import type { SequencerNode } from '../sequencer-node.ts';
import { type SequencerSettings, SETTING_PREFIX, SETTING_TABLE } from '../settings.ts';
import { startSim } from '../sim/start-sim.ts';

interface Flags {
  readonly fault?: readonly string[];
}

export function sequencerProgram(): Program {
  return {
    name: 'plexus-sequencer',
    about: 'development sequencer: JSON-RPC and feed of an Arbitrum-style chain',
    commands: [],
    addTo,
    context: undefined,
    settings: () => Promise.resolve(SETTING_TABLE),
  };
}

function addTo(program: Command): void {
  program
    .addOption(new Option('--mode <mode>', 'engine that executes transactions').choices(['anvil', 'sim']))
    .option('--host <address>', 'listen address')
    .option('--rpc-port <port>', 'JSON-RPC port, 0 for any free port')
    .option('--feed-port <port>', 'feed port, 0 for any free port')
    .option('--chain-id <id>', 'chain id')
    .option('--block-ms <ms>', 'block interval in milliseconds')
    .option('--timeboost-controller <address>', 'controller of the express lane, with --mode sim')
    .option('--timeboost-round-s <seconds>', 'length of a round of the express lane')
    .option('--fault <name=value...>', `faults to inject, with --mode sim: ${FAULT_NAMES.join(', ')}`)
    .action(serve);
}

async function serve({ fault = [] }: Flags, command: Command): Promise<void> {
  const environment = readEnvironment();
  const settings = commandSettings(command, SETTING_TABLE, SETTING_PREFIX);
  const faults = parseFaults(fault);
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
    throw new DomainError('INVALID_CONFIG', '--fault requires --mode sim');
  }
  if (settings.timeboostController !== '') {
    throw new DomainError('INVALID_CONFIG', '--timeboost-controller requires --mode sim');
  }
  return startAnvilNode(settings, findAnvil(environment), log);
}

function readyLine({ mode, chainId, host }: SequencerSettings, { rpcPort, feedPort }: SequencerNode): string {
  const name = host.includes(':') ? `[${host}]` : host;
  const where = `rpc http://${name}:${rpcPort}, feed ws://${name}:${feedPort}`;
  return `plexus-sequencer is ready: mode ${mode}, chain id ${chainId}, ${where}`;
}
