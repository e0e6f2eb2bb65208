import { setTimeout as pause } from 'node:timers/promises';
import type { Report } from '../../libs/load/report/src/index.ts';

const POLL_MS = 250;

/** The part of a run that is used here. */
export interface RunState {
  readonly run_id: string;
  readonly status: 'Starting' | 'Running' | 'Completed' | 'Failed';
  readonly phase: string | null;
  readonly reason: string | null;
  readonly refusals: readonly unknown[];
}

/** Creates runs over HTTP, and waits for them. */
export class HiveRuns {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async create(scenario: object): Promise<string> {
    const { run_id: runId } = await this.#ask<RunState>('/runs', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(scenario),
    });
    return runId;
  }

  /** Polls until the condition is true; throws when the run has failed, or refuses to start. */
  async until(runId: string, isSo: (run: RunState) => boolean): Promise<void> {
    for (;;) {
      const run = await this.#ask<RunState>(`/runs/${runId}`);
      if (isSo(run)) return;
      if (run.status === 'Failed' || run.refusals.length > 0) {
        throw new Error(`the run did not go through: ${JSON.stringify([run.reason, run.refusals])}`);
      }
      await pause(POLL_MS);
    }
  }

  /** Waits for the end of a run; returns its report. */
  async report(runId: string): Promise<Report> {
    await this.until(runId, ({ status }) => status === 'Completed');
    return this.#ask<Report>(`/runs/${runId}/report`);
  }

  /** Number of connected edges. */
  async connected(): Promise<number> {
    const { edges } = await this.#ask<{ readonly edges: readonly { readonly status: string }[] }>('/edges');
    return edges.filter(({ status }) => status === 'connected').length;
  }

  /** Ends the load; edges settle their transactions. */
  async stop(runId: string): Promise<void> {
    await this.#ask(`/runs/${runId}/stop`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ mode: 'drain' }),
    });
  }

  async #ask<T>(path: string, init?: RequestInit): Promise<T> {
    const reply = await fetch(`${this.#url}${path}`, init);
    const body = await reply.text();
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${body}`);
    return JSON.parse(body) as T;
  }
}
