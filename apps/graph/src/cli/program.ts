import { type CommandEntry, Output, type Program } from '#platform/cli';
import { type CommandContext, commandContext } from './command-context.ts';

/** Each command loads its own code: only `serve` needs the whole program. */
const COMMANDS: readonly CommandEntry<CommandContext>[] = [
  {
    name: 'serve',
    about: 'serve the graph over REST until SIGTERM',
    load: () => import('./serve.ts'),
  },
  {
    name: 'query',
    about: 'run PQL on a server (--url), or on a data directory that no server holds',
    load: () => import('./query.ts'),
  },
  {
    name: 'ingest',
    about: 'load one operation a line, as POST /v1/ingest/bulk takes them; - reads standard input',
    load: () => import('./ingest.ts'),
  },
  {
    name: 'stats',
    about: 'counts and state of the store, as JSON',
    load: () => import('./stats.ts'),
  },
  { name: 'wal', about: 'look at the write-ahead log', load: () => import('./wal-dump.ts') },
  {
    name: 'backup',
    about: 'copy the store of a running server to a file, or of a data directory that no server holds',
    load: () => import('./backup.ts'),
  },
  {
    name: 'store',
    about: 'shared stores: move a data directory into a database and back, try a database',
    load: () => import('./store.ts'),
  },
  {
    name: 'restore',
    about: 'make a data directory from a backup of a running server',
    load: () => import('./restore.ts'),
  },
  {
    name: 'connector',
    about: 'connectors: what they are, and runs of them',
    load: () => import('./connector.ts'),
  },
  {
    name: 'policy',
    about: 'rules: check them, test them, evaluate them',
    load: () => import('./policy.ts'),
  },
  {
    name: 'notify',
    about: 'notifications: send a test message',
    load: () => import('./notify.ts'),
  },
  {
    name: 'queries',
    about: 'saved queries: list, show, import and export them',
    load: () => import('./queries.ts'),
  },
  {
    name: 'mcp',
    about: 'let a model ask the graph, over standard input and output (Model Context Protocol)',
    load: () => import('./mcp.ts'),
  },
  { name: 'version', about: 'show the version', load: () => import('./version.ts') },
];

export function graphProgram(): Program<CommandContext> {
  return {
    name: 'plexus',
    about: 'a durable graph of what infrastructure consists of, and PQL to ask it',
    commands: COMMANDS,
    context: commandContext(new Output(process.stdout)),
  };
}
