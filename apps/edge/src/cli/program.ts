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
      // Other answers of the program do without the server, and come the sooner.
      const { runEdge } = await import('./run-edge.ts');
      await runEdge(config, command);
    });
}
