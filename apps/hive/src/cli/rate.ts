import { type Command } from 'commander';
import { UsageError } from '#platform/cli';
import { HiveHttp } from './run/hive-http.ts';
import { settingsOf } from './settings-of.ts';

const RUN_ID = /^r-[a-z0-9-]{1,60}$/;
const RATE = /^\d{1,7}(?:\.\d{1,6})?$/;

export function addTo(command: Command): void {
  command
    .argument('<run>', 'id of the run')
    .argument('<tps>', 'transactions a second of all edges together, to the end of the load; 0 is a pause')
    .option('--url <url>', 'URL of the hive')
    .option('--tls-ca <file>', 'CA certificate of the hive')
    .action(async (runId: string, tps: string, _flags: object, command: Command) => {
      if (!RUN_ID.test(runId)) throw new UsageError(`${runId.slice(0, 64)}: expected the id of a run`);
      if (!RATE.test(tps)) throw new UsageError(`${tps.slice(0, 64)}: expected a rate, such as 500`);
      const { rate_changes: changes } = await new HiveHttp(settingsOf(command)).changeRate(
        runId,
        Number(tps),
      );
      console.log(`${runId}: ${tps} transactions a second from ${changes.at(-1)?.at ?? 'now'} on`);
    });
}
