import { join } from 'node:path';
import { type Report, reportSummary } from '#load/report';
import { parseScenario } from '#load/scenario';
import { bodySignature, DeliveryFailed, DeliveryRefused } from '#platform/delivery';
import type { Disk } from '#platform/disk';
import { type Clock, DomainError, pause } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { HiveRunRecord } from '../record/run-record.ts';
import { SnapshotFile } from '../record/snapshot-file.ts';
import type { FundingEnvironment } from '../run/funding.ts';
import { type OpenWebhook, openWebhook } from '../run/open-webhook.ts';
import { NOT_SENT_YET, webhookStateOf, type WebhookState } from '../record/webhook-state.ts';

const FILE = 'webhook.json';
const ATTEMPTS_MAX = 6;

export const WEBHOOK_OUTCOMES = ['delivered', 'failed', 'refused', 'given_up'] as const;
type WebhookOutcome = (typeof WEBHOOK_OUTCOMES)[number];

export interface WebhookOptions {
  readonly disk: Disk;
  readonly directoryOf: (runId: string) => string;
  readonly reportOf: (runId: string) => Promise<Report>;
  readonly environment: FundingEnvironment;
  readonly clock: Clock;
  readonly log: Log;
  /** The wait after the first failure, in ms; it doubles. */
  readonly retryMs: number;
}

/**
 * Posts the results of ended runs. Delivery is at least once, with the run's id in each attempt: what is
 * pending when the hive ends is sent by the next one. A run's verdict does not depend on it.
 */
export class RunWebhooks {
  readonly #options: WebhookOptions;
  readonly #states = new Map<string, WebhookState>();
  readonly #sending = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
  readonly #counts = new Map<WebhookOutcome, number>();
  #isClosed = false;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  /** Attempts of this process, by outcome. */
  countOf(outcome: WebhookOutcome): number {
    return this.#counts.get(outcome) ?? 0;
  }

  /** Null for a run without a webhook, and before its end. */
  stateOf(runId: string): WebhookState | null {
    return this.#states.get(runId) ?? null;
  }

  /** Reads what has become of the messages of earlier runs, and sends those that are pending. */
  async resume(ended: readonly HiveRunRecord[]): Promise<void> {
    for (const record of ended.filter(hasWebhook)) {
      const kept = await this.#options.disk.readJsonIfSound(this.#pathOf(record.run_id));
      const state = webhookStateOf(kept) ?? NOT_SENT_YET;
      this.#states.set(record.run_id, state);
      if (state.state === 'pending') this.#begin(record);
    }
  }

  ended(record: HiveRunRecord): void {
    if (!hasWebhook(record)) return;
    this.#states.set(record.run_id, NOT_SENT_YET);
    this.#begin(record);
  }

  /** Stops sending before the files of the run are removed. */
  async forget(runId: string): Promise<void> {
    const sending = this.#sending.get(runId);
    sending?.stop.abort();
    await sending?.done;
    this.#states.delete(runId);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const sending = [...this.#sending.values()];
    for (const { stop } of sending) stop.abort();
    await Promise.all(sending.map(({ done }) => done));
  }

  #begin(record: HiveRunRecord): void {
    if (this.#isClosed) return;
    const stop = new AbortController();
    const done = this.#deliver(record, stop.signal)
      .catch((error: unknown) => {
        const fields = { event: 'webhook.failed', err: error, run_id: record.run_id };
        this.#options.log.error(fields, 'result of the run not posted');
      })
      .finally(() => this.#sending.delete(record.run_id));
    this.#sending.set(record.run_id, { stop, done });
  }

  async #deliver(record: HiveRunRecord, signal: AbortSignal): Promise<void> {
    const { run_id: runId } = record;
    let webhook: OpenWebhook | undefined;
    try {
      webhook = openWebhook(parseScenario(record.scenario), this.#options.environment);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      await this.#note(runId, { state: 'failed', attempts: 0, reason: error.message });
    }
    if (webhook === undefined) return;
    try {
      const body = await this.#bodyOf(record);
      while (this.stateOf(runId)?.state === 'pending' && !signal.aborted) {
        await this.#attempt(runId, webhook, body, signal);
      }
    } finally {
      await webhook.target.close();
    }
  }

  /**
   * One attempt, and the wait for the next one. Attempts that the end of the hive breaks off do not count.
   */
  async #attempt(runId: string, webhook: OpenWebhook, body: string, signal: AbortSignal): Promise<void> {
    const attempts = (this.stateOf(runId)?.attempts ?? 0) + 1;
    const signed = bodySignature(webhook.key?.reveal(), body, this.#options.clock.nowMs());
    try {
      await webhook.target.post(body, { 'plexus-event-id': runId, ...signed }, signal);
      await this.#note(runId, { state: 'delivered', attempts, reason: null }, 'delivered');
    } catch (error) {
      if (!(error instanceof DeliveryFailed)) throw error;
      if (signal.aborted) return;
      const { message: reason } = error;
      const isRefused = error instanceof DeliveryRefused;
      const isLast = isRefused || attempts >= ATTEMPTS_MAX;
      const outcome = isRefused ? 'refused' : isLast ? 'given_up' : 'failed';
      await this.#note(runId, { state: isLast ? 'failed' : 'pending', attempts, reason }, outcome);
      if (!isLast) await pause(this.#options.retryMs * 2 ** (attempts - 1), signal);
    }
  }

  async #note(runId: string, state: WebhookState, outcome?: WebhookOutcome): Promise<void> {
    this.#states.set(runId, state);
    if (outcome !== undefined) this.#counts.set(outcome, this.countOf(outcome) + 1);
    const { log } = this.#options;
    const fields = { event: 'webhook.attempt', run_id: runId, ...state };
    if (state.state === 'delivered') log.info(fields, 'result of the run posted');
    else log.warn(fields, 'result of the run not posted');
    try {
      await this.#fileOf(runId).save(() => `${JSON.stringify(state)}\n`);
    } catch (error) {
      // After a restart the message is sent again, which its receiver recognizes by the id.
      log.warn({ event: 'webhook.not_saved', err: error, run_id: runId }, 'state of the message not saved');
    }
  }

  /** The summary of the report; without it, and with the reason, if the report cannot be made. */
  async #bodyOf(record: HiveRunRecord): Promise<string> {
    const { run_id: runId, name, status, reason, ended_at_us: endedAtUs } = record;
    const at = new Date((endedAtUs ?? record.created_at_us) / 1_000).toISOString();
    const event = { event: 'run_ended', id: runId, at, report_path: `/runs/${runId}/report` };
    try {
      return JSON.stringify({ ...event, ...reportSummary(await this.#options.reportOf(runId)) });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return JSON.stringify({ ...event, run_id: runId, name, status, reason, report_error: error.code });
    }
  }

  #fileOf(runId: string): SnapshotFile {
    return new SnapshotFile(this.#options.disk, this.#pathOf(runId));
  }

  #pathOf(runId: string): string {
    return join(this.#options.directoryOf(runId), FILE);
  }
}

/** The record has a scenario that was valid when the run began. */
function hasWebhook({ scenario }: HiveRunRecord): boolean {
  return typeof scenario === 'object' && scenario !== null && 'webhook' in scenario && !!scenario.webhook;
}
