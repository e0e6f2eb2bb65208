import type { Program } from '#platform/cli';

export function proxyProgram(): Program {
  return {
    name: 'plexus-proxy',
    about: 'a TCP and HTTP proxy with an admin server',
    commands: [
      {
        name: 'run',
        about: 'run the proxy until SIGTERM, which drains it; SIGHUP reads the configuration again',
        load: () => import('./run.ts'),
      },
      {
        name: 'check',
        about: 'check a configuration, and the files that it names; touch no socket',
        load: () => import('./check.ts'),
      },
    ],
    context: undefined,
    // Messages begin with the place in the file, as those of compilers do.
    messagePrefix: '',
  };
}
