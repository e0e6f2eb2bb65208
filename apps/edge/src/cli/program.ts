import type { Command } from 'commander';
import type { Program } from '#platform/cli';

const EVICTED = 3;

export function edgeProgram(): Program {
  return {
    name: 'plexus-edge',
    about: 'load-test worker: connects to a hive and executes its orders until SIGTERM',
    commands: [],
    addTo,
    context: undefined,
    settings: async () => (await import('../settings.ts')).SETTING_TABLE,
    exitCodes: { EDGE_EVICTED: EVICTED },
  };
}

function addTo(program: Command): void {
  program
    .requiredOption('--config <edge.toml>', 'configuration file of the edge')
    .action(async ({ config }: { config: string }, command: Command) => {
      // Loaded here because --help and --version start faster without the server.
      const { runEdge } = await import('./run-edge.ts');
      await runEdge(config, command);
    });
}
