import type { Command } from 'commander';
import type { Program } from '#platform/cli';

const EVICTED = 3;

export function edgeProgram(): Program {
  return {
    name: 'plexus-edge',
    about: 'a worker of load tests: connects to a hive, and does what it orders until SIGTERM',
    commands: [],
    addTo,
    context: undefined,
    exitCodes: { EDGE_EVICTED: EVICTED },
  };
}

function addTo(program: Command): void {
  program
    .requiredOption('--config <edge.toml>', 'the edge, its hive, its limits')
    .action(async ({ config }: { config: string }, command: Command) => {
      // Loaded here because --help and --version start faster without the server.
      const { runEdge } = await import('./run-edge.ts');
      await runEdge(config, command);
    });
}
