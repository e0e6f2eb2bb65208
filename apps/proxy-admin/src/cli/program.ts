import type { Program } from '#platform/cli';

export function proxyProgram(): Program {
  return {
    name: 'plexus-proxy',
    about: 'a TCP and HTTP proxy with an admin server',
    commands: [
      {
        name: 'run',
        about: 'run the proxy until SIGTERM, which drains it; SIGHUP reloads the configuration',
        takesSettings: true,
        load: () => import('./run.ts'),
      },
      {
        name: 'check',
        about: 'check a configuration and the files named by it, without opening a socket',
        load: () => import('./check.ts'),
      },
      {
        name: 'keys',
        about: 'make, list and revoke named keys of the admin server',
        load: async () => {
          const { PROXY_ACCESS: model, loadKeysCommand } = await import('#platform/auth');
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
    ],
    context: undefined,
    completes: true,
    settings: async () => (await import('../settings.ts')).SETTING_TABLE,
    // Messages begin with the position in the file, like those of compilers.
    messagePrefix: '',
  };
}
