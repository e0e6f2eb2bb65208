import type { DrainResult } from '#proxy/engine';
import type { HaproxyControl } from './haproxy-control.ts';
import type { ServerRow } from './stat-report.ts';

export interface DrainSteps {
  readonly control: HaproxyControl;
  /** A new reading; undefined when HAProxy cannot be reached. */
  readonly readServers: () => Promise<readonly ServerRow[] | undefined>;
  /** Resolves when so much time has passed. */
  readonly wait: (ms: number) => Promise<void>;
  readonly nowMs: () => number;
}

const LOOK_MS = 200;

/**
 * Puts all servers into drain: they get nothing new, and finish what they have. What is left when the time is
 * over is cut. Resolves when nothing is open, or HAProxy is gone. Rejects with ENGINE_UNAVAILABLE when it
 * refuses.
 */
export async function drainServers(timeoutMs: number, steps: DrainSteps): Promise<DrainResult> {
  const deadlineMs = steps.nowMs() + timeoutMs;
  for (const { backend, name } of (await steps.readServers()) ?? []) {
    await steps.control.setServer(backend, name, 'drain');
  }
  for (;;) {
    const busy = (await steps.readServers())?.filter(({ requestsNow }) => requestsNow > 0) ?? [];
    if (busy.length === 0) return { cutConnections: 0, cutRequests: 0 };
    if (steps.nowMs() >= deadlineMs) return cut(busy, steps.control);
    await steps.wait(Math.min(LOOK_MS, Math.max(1, deadlineMs - steps.nowMs())));
  }
}

async function cut(busy: readonly ServerRow[], control: HaproxyControl): Promise<DrainResult> {
  for (const { backend, name } of busy) await control.cutSessions(backend, name);
  const open = (rows: readonly ServerRow[]): number => rows.reduce((sum, row) => sum + row.requestsNow, 0);
  return { cutConnections: open(busy), cutRequests: open(busy.filter(({ mode }) => mode === 'http')) };
}
