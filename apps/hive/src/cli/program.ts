import { EXIT, type Program } from '#platform/cli';

export function hiveProgram(): Program {
  return {
    name: 'plexus-hive',
    about: 'coordinates load tests: edges connect to it, runs are begun on it, reports come from it',
    commands: [
      {
        name: 'serve',
        about: 'serve edges over gRPC and people over HTTP until SIGTERM',
        load: () => import('./serve.ts'),
      },
      { name: 'run', about: 'begin a run on a hive', load: () => import('./run.ts') },
      {
        name: 'sweep',
        about: 'send the remaining balances of an ended run back to the funder',
        load: () => import('./sweep.ts'),
      },
    ],
    context: undefined,
    exitCodes: { SCENARIO_INVALID: EXIT.wrongUsage },
  };
}
