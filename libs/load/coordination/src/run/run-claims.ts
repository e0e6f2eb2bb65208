import { hasOwnAccounts, type Scenario } from '#load/scenario';
import { DomainError } from '#platform/foundation';
import type { AccountRange } from '../edge/account-partition.ts';
import type { FundingEnvironment } from './funding.ts';

/** Number of edges that an error names. */
const NAMES_MAX = 20;

/** What one run takes, and no other run at the same time. */
interface Claim {
  readonly runId: string;
  /** Undefined: all edges, also those that register later. */
  readonly edgeIds: readonly string[] | undefined;
  readonly accounts: AccountRange;
  /** Identifies the user's own accounts on a chain; undefined for accounts of a seed. */
  readonly ownAccounts: string | undefined;
}

/** The edges and accounts of the runs that have not ended, or are being created. */
export class RunClaims {
  readonly #environment: FundingEnvironment;
  readonly #claims = new Map<string, Claim>();

  constructor(environment: FundingEnvironment) {
    this.#environment = environment;
  }

  /**
   * Claims the edges that the scenario names, else all, and accounts that no other run uses, which begin at
   * the returned number. Throws RUN_ACTIVE, with the edges and the runs that have taken them.
   */
  take(runId: string, scenario: Scenario): number {
    const first = hasOwnAccounts(scenario.accounts) ? 0 : this.#firstFree(scenario.accounts.count);
    this.retake(runId, scenario, first);
    return first;
  }

  /** Claims for a run of an earlier process. Throws RUN_ACTIVE. */
  retake(runId: string, scenario: Scenario, firstAccount: number): void {
    const ownAccounts = this.#ownAccountsOf(scenario);
    this.#assertFree(scenario, ownAccounts);
    const accounts = { first: firstAccount, count: scenario.accounts.count };
    this.#claims.set(runId, { runId, edgeIds: scenario.edges.ids, accounts, ownAccounts });
  }

  release(runId: string): void {
    this.#claims.delete(runId);
  }

  #assertFree({ edges: { ids } }: Scenario, ownAccounts: string | undefined): void {
    for (const { runId, edgeIds, ownAccounts: others } of this.#claims.values()) {
      const details = { run_id: runId };
      if (ids === undefined || edgeIds === undefined) {
        const whole = ids === undefined ? 'this one' : 'that one';
        const message = `run ${runId} has not ended, and ${whole} takes every edge: runs that go on together name theirs in edges.ids`;
        throw new DomainError('RUN_ACTIVE', message, { details });
      }
      if (ownAccounts !== undefined && ownAccounts === others) {
        throw new DomainError('RUN_ACTIVE', `run ${runId} has not ended, and uses the same own accounts`, {
          details,
        });
      }
    }
    const taken = (ids ?? []).flatMap((edgeId) => this.#takerOf(edgeId));
    const [first] = taken;
    if (first === undefined) return;
    const names = taken
      .slice(0, NAMES_MAX)
      .map(({ edge_id: edgeId, run_id: runId }) => `${edgeId} (${runId})`);
    const more = taken.length > NAMES_MAX ? `, and ${taken.length - NAMES_MAX} more` : '';
    const message = `edges are taken by runs that have not ended: ${names.join(', ')}${more}`;
    throw new DomainError('RUN_ACTIVE', message, { details: { run_id: first.run_id, taken } });
  }

  #takerOf(edgeId: string): readonly { readonly edge_id: string; readonly run_id: string }[] {
    const claims = [...this.#claims.values()].filter(({ edgeIds }) => edgeIds?.includes(edgeId) === true);
    return claims.map(({ runId }) => ({ edge_id: edgeId, run_id: runId }));
  }

  /** The lowest number from which on no account of a seed is taken. */
  #firstFree(count: number): number {
    const ranges = [...this.#claims.values()]
      .filter(({ ownAccounts }) => ownAccounts === undefined)
      .map(({ accounts }) => accounts)
      .sort((a, b) => a.first - b.first);
    let first = 0;
    for (const range of ranges) {
      if (first + count <= range.first) break;
      first = Math.max(first, range.first + range.count);
    }
    return first;
  }

  /** By the variable's value if the hive has it, as two variables may hold the same accounts. */
  #ownAccountsOf({ accounts, target }: Scenario): string | undefined {
    if (!hasOwnAccounts(accounts)) return undefined;
    const variable = accounts.mnemonic_env ?? accounts.keys_env ?? '';
    return `${target.chain_id} ${this.#environment[variable] ?? variable}`;
  }
}
