import { type Command } from 'commander';
import { openWallet, reclaimRun, type HiveRunRecord, RunStore } from '#load/coordination';
import {
  hasOwnAccounts,
  isDevelopmentChain,
  parseScenario,
  readUrlsOf,
  type Scenario,
  sendUrlsOf,
} from '#load/scenario';
import { CommandFailure, EXIT, UsageError } from '#platform/cli';
import { readEnvironment } from '#platform/config';
import { DirectoryLock, NodeDisk } from '#platform/disk';
import { countedText, DomainError } from '#platform/foundation';
import type { HiveAppSettings } from '../settings.ts';
import { etherText } from './run/cost-text.ts';
import { HiveHttp } from './run/hive-http.ts';
import { settingsOf } from './settings-of.ts';

interface SweepFlags {
  readonly ownAccounts?: boolean;
  readonly rpcUrl?: string;
}

/** The scenario of a run with the number of its first account, and the release of its lock. */
interface FoundRun {
  readonly scenario: Scenario;
  readonly firstAccount: number;
  readonly release: () => Promise<void>;
}

const RUN_ID = /^r-[a-z0-9-]{1,60}$/;
const REDACTED = '***';

export function addTo(command: Command): void {
  command
    .argument('<run>', 'id of the run')
    .option('--data-dir <path>', 'data directory of the hive, running or not')
    .option('--url <url>', 'URL of the hive, if the run is not in the data directory')
    .option('--tls-ca <file>', 'CA certificate of the hive')
    .option('--rpc-url <url>', 'RPC URL to use instead of those of the scenario')
    .option('--own-accounts', 'also of a mnemonic or a list of keys: sends all their ether to the funder')
    .action((runId: string, flags: SweepFlags, command: Command) => sweep(runId, flags, settingsOf(command)));
}

async function sweep(runId: string, flags: SweepFlags, settings: HiveAppSettings): Promise<void> {
  const { rpcUrl, ownAccounts = false } = flags;
  if (!RUN_ID.test(runId)) throw new UsageError(`${runId.slice(0, 64)}: expected the id of a run`);
  if (rpcUrl !== undefined && !/^https?:/.test(URL.parse(rpcUrl)?.protocol ?? ''))
    throw new UsageError('--rpc-url: expected a http:// or https:// URL');
  const { scenario, firstAccount, release } = await findRun(runId, settings);
  try {
    const target = sweepable(withUrl(scenario, rpcUrl), ownAccounts);
    const wallet = openWallet(target, readEnvironment());
    const { funder } = wallet;
    const accounts = { first: firstAccount, count: target.accounts.count };
    const done = await reclaimRun({ scenario: target, accounts }, wallet);
    if (funder === undefined || done === undefined)
      throw new UsageError('the run has no funder: fund_wei is 0');
    const { sentWei, leftAccounts, leftWei, reason } = done;
    console.log(
      `sent ${etherText(sentWei)} of ${countedText(accounts.count, 'account')} back to ${funder.address}`,
    );
    if (leftAccounts === 0) return;
    console.error(`${etherText(leftWei)} left on ${countedText(leftAccounts, 'account')}: ${reason ?? ''}`);
    throw new CommandFailure(EXIT.failed);
  } finally {
    await release();
  }
}

/** Reads the run from the data directory, else from the hive. Throws NOT_FOUND, RUN_ACTIVE. */
async function findRun(runId: string, settings: HiveAppSettings): Promise<FoundRun> {
  const disk = new NodeDisk();
  const file = new RunStore(disk, settings.dataDir).fileOf(runId);
  const record = await file.read();
  if (record === undefined) {
    const asked = await new HiveHttp(settings).record(runId);
    if (!hasEnded(asked)) throw active();
    const { first_account: firstAccount = 0 } = asked;
    return { scenario: parseScenario(asked.scenario), firstAccount, release: () => Promise.resolve() };
  }
  // If the data directory can be locked, no hive is running the run.
  const lock = hasEnded(record) ? undefined : await lockOf(disk, settings.dataDir);
  const scenario = parseScenario(record.scenario);
  const kept = await file.keptUrls();
  return {
    scenario: kept === undefined ? scenario : { ...scenario, target: { ...scenario.target, ...kept } },
    firstAccount: record.first_account ?? 0,
    release: async () => {
      await lock?.release();
    },
  };
}

async function lockOf(disk: NodeDisk, directory: string): Promise<DirectoryLock> {
  try {
    return await DirectoryLock.acquire(disk, directory);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'STORE_LOCKED') throw active();
    throw error;
  }
}

/** The ether on own accounts may have been there before the run. */
function sweepable(scenario: Scenario, takesOwn: boolean): Scenario {
  const { accounts, target } = scenario;
  if (!hasOwnAccounts(accounts)) return scenario;
  if (accounts.funder_key_env === undefined && !isDevelopmentChain(target.chain_id))
    throw new UsageError('the run has no funder: its scenario has no accounts.funder_key_env');
  if (takesOwn) return { ...scenario, accounts: { ...accounts, reclaim: true } };
  throw new UsageError(
    'the accounts of the run are own ones (accounts.mnemonic_env or keys_env): --own-accounts sends all their ether, ' +
      'whoever paid it, to the funder',
  );
}

function hasEnded({ status }: HiveRunRecord): boolean {
  return status === 'Completed' || status === 'Failed';
}

function active(): DomainError {
  return new DomainError('RUN_ACTIVE', 'the run has not ended: stop it first');
}

function withUrl(scenario: Scenario, rpcUrl: string | undefined): Scenario {
  const { target } = scenario;
  if (rpcUrl !== undefined)
    return {
      ...scenario,
      target: { ...target, rpc_urls: [rpcUrl], send_urls: undefined, read_urls: undefined },
    };
  const urls = [...readUrlsOf(target), ...sendUrlsOf(target)];
  if (urls.every((url) => !url.includes(REDACTED))) return scenario;
  throw new UsageError('the secrets of its URLs are not stored: pass one with --rpc-url');
}
