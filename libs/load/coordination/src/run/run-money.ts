import { reclaimedFields } from '#load/worker';
import { DomainError } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { ChainAddress } from '../telemetry/telemetry-messages.ts';
import { chainAddress, fundRun, type FundingWallet, reclaimRun } from './funding.ts';
import type { Run } from './run.ts';

export interface RunMoneyParts {
  readonly run: Run;
  readonly wallet: FundingWallet;
  readonly log: Log;
  /** For bringing back what a run that did not end well has left on accounts. */
  readonly reclaimMs: number;
}

/** Pays the accounts of a run, and brings back what is left on them. */
export class RunMoney {
  readonly #run: Run;
  readonly #wallet: FundingWallet;
  readonly #log: Log;
  readonly #reclaimMs: number;

  constructor({ run, wallet, log, reclaimMs }: RunMoneyParts) {
    this.#run = run;
    this.#wallet = wallet;
    this.#log = log;
    this.#reclaimMs = reclaimMs;
  }

  get chain(): ChainAddress {
    return chainAddress(this.#run.scenario, this.#wallet);
  }

  /** Rejects as `fundAccounts` does. What it costs at most is told before the funder pays. */
  async fund(): Promise<void> {
    const run = this.#run;
    await fundRun(run.scenario, this.#wallet, {
      onProgress: (funded, count) => run.learned({ type: 'accounts_funded', funded, count }),
      onCost: (mostWei) => {
        run.learned({ type: 'cost_known', mostWei });
        this.#log.info(
          { event: 'run.cost', run_id: run.runId, most_wei: String(mostWei) },
          'the most that the run takes from the funder, fees included',
        );
      },
    });
  }

  /** What edges have left on accounts that did not come to an end of their own. */
  async reclaim(): Promise<void> {
    const { scenario, runId } = this.#run;
    if (!owesMoney(this.#run)) return;
    const fields = { run_id: runId };
    try {
      const done = await within(this.#reclaimMs, reclaimRun(scenario, this.#wallet));
      if (done === undefined) return;
      this.#log.info(
        { event: 'run.reclaimed', ...fields, ...reclaimedFields(done) },
        'sent what was left to the funder',
      );
      if (done.failed > 0) this.#findLeft(`${done.failed} accounts did not give it: ${done.reason ?? ''}`);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#log.warn(
        { event: 'run.not_reclaimed', err: error, ...fields },
        'could not send back what was left',
      );
      this.#findLeft(error.message);
    }
  }

  #findLeft(reason: string): void {
    const message = `money of the funder is left on accounts: plexus-hive sweep ${this.#run.runId} (${reason})`;
    this.#run.learned({ type: 'found', finding: { code: 'not_reclaimed', edge_id: null, message } });
  }
}

/** Edges that come to their end give back by themselves; others may not have. */
function owesMoney({ scenario, state }: Run): boolean {
  if (!scenario.accounts.reclaim || state.status !== 'Running') return false;
  return state.ending?.status === 'Failed' || state.members.some(({ end }) => end !== 'done');
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new DomainError('RPC_FAILED', `not done within ${Math.round(ms / 1_000)} s`));
    }, ms);
  });
  return Promise.race([work, late]).finally(() => {
    clearTimeout(timer);
  });
}
