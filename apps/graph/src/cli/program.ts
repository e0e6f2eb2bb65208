import { type CommandEntry, Output, type Program } from '#platform/cli';
import { type CommandContext, commandContext } from './command-context.ts';

/** Each command loads its own code: only `serve` needs the whole program. */
const COMMANDS: readonly CommandEntry<CommandContext>[] = [
  {
    name: 'serve',
    about: 'run the graph service until SIGTERM',
    takesSettings: true,
    load: () => import('./serve.ts'),
  },
  {
    name: 'query',
    about: 'run a query on a server (--url) or an unused data directory',
    load: () => import('./query.ts'),
  },
  {
    name: 'diff',
    about: 'what changed between two moments: records, the rows of a query, or findings',
    load: () => import('./diff.ts'),
  },
  {
    name: 'cypher',
    about: 'run a statement of Cypher on a server (--url) or an unused data directory',
    load: () => import('./cypher.ts'),
  },
  {
    name: 'changes',
    about: 'show what has changed on a server (--url), one change a line; --follow goes on',
    load: () => import('./changes.ts'),
  },
  {
    name: 'forget',
    about: 'remove an entity and its history from all files of a server (--url) at once',
    load: () => import('./forget.ts'),
  },
  {
    name: 'shell',
    about: 'ask questions of PQL and Cypher one after another, with history and completion',
    load: () => import('./shell.ts'),
  },
  {
    name: 'ingest',
    about: 'load NDJSON operations in the format of POST /v1/ingest/bulk; - reads standard input',
    load: () => import('./ingest.ts'),
  },
  {
    name: 'import',
    about: 'load a file as a source: CSV, JSON, a bill of materials, STIX; --dry-run shows what it changes',
    load: () => import('./import.ts'),
  },
  {
    name: 'stats',
    about: 'print counts and state of the store as JSON',
    load: () => import('./stats.ts'),
  },
  { name: 'wal', about: 'inspect the write-ahead log', load: () => import('./wal-dump.ts') },
  {
    name: 'backup',
    about: 'back up a running server to a file, or an unused data directory',
    load: () => import('./backup.ts'),
  },
  {
    name: 'export',
    about: 'write the graph, or a part of it, in the form of another tool',
    load: () => import('./export.ts'),
  },
  {
    name: 'store',
    about: 'shared stores: copy between a data directory and a database, check a database',
    load: () => import('./store.ts'),
  },
  {
    name: 'restore',
    about: 'create a data directory from a backup file',
    load: () => import('./restore.ts'),
  },
  {
    name: 'connector',
    about: 'list and run connectors',
    load: () => import('./connector.ts'),
  },
  {
    name: 'collect',
    about: 'read the machine on which the command runs',
    load: () => import('./collect.ts'),
  },
  {
    name: 'policy',
    about: 'validate, test and evaluate rules',
    load: () => import('./policy.ts'),
  },
  {
    name: 'finding',
    about: 'list the findings of a server, waive, accept, reopen and assign them',
    load: () => import('./finding.ts'),
  },
  {
    name: 'notify',
    about: 'send a test notification',
    load: () => import('./notify.ts'),
  },
  {
    name: 'queries',
    about: 'list, show, import and export saved queries',
    load: () => import('./queries.ts'),
  },
  {
    name: 'mcp',
    about: 'serve a language model over standard input and output (Model Context Protocol)',
    load: () => import('./mcp.ts'),
  },
  {
    name: 'keys',
    about: 'make, list and revoke named keys',
    load: async () => {
      const { GRAPH_ACCESS: model, loadKeysCommand } = await import('#platform/auth');
      return loadKeysCommand({ model, variable: 'PLEXUS_KEYS' });
    },
  },
  {
    name: 'audit',
    about: 'check an audit trail',
    load: async () => {
      const { loadAuditCommand } = await import('#platform/audit');
      return loadAuditCommand('PLEXUS_AUDIT');
    },
  },
  { name: 'version', about: 'show the version', load: () => import('./version.ts') },
];

export function graphProgram(): Program<CommandContext> {
  return {
    name: 'plexus',
    about: 'graph database of infrastructure, with the query language PQL',
    commands: COMMANDS,
    completes: true,
    settings: async () => (await import('../settings.ts')).SETTING_TABLE,
    context: commandContext(new Output(process.stdout)),
  };
}
