import { EXIT, type Program } from '#platform/cli';

export function hiveProgram(): Program {
  return {
    name: 'plexus-hive',
    about: 'load-test coordinator: registers edges, executes runs and serves reports',
    commands: [
      {
        name: 'serve',
        about: 'serve edges over gRPC, and the API and pages over HTTP, until SIGTERM',
        takesSettings: true,
        load: () => import('./serve.ts'),
      },
      { name: 'run', about: 'start a run on a hive', load: () => import('./run.ts') },
      {
        name: 'rate',
        about: 'change the rate of a running run',
        load: () => import('./rate.ts'),
      },
      {
        name: 'import',
        about: 'convert a scenario of another load tester',
        load: () => import('./import.ts'),
      },
      {
        name: 'sweep',
        about: 'return the remaining balances of an ended run to the funder',
        load: () => import('./sweep.ts'),
      },
      {
        name: 'keys',
        about: 'make, list and revoke named keys',
        load: async () => {
          const { HIVE_ACCESS: model, loadKeysCommand } = await import('#platform/auth');
          return loadKeysCommand({ model, variable: 'PLEXUS_HIVE_KEYS' });
        },
      },
      {
        name: 'audit',
        about: 'check an audit trail',
        load: async () => {
          const { loadAuditCommand } = await import('#platform/audit');
          return loadAuditCommand('PLEXUS_HIVE_AUDIT');
        },
      },
    ],
    context: undefined,
    completes: true,
    settings: async () => (await import('../settings.ts')).SETTING_TABLE,
    exitCodes: { SCENARIO_INVALID: EXIT.wrongUsage },
  };
}
