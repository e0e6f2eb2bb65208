import { isSameProcess, parseProcessInfo, type ProcessInfo } from './process-info.ts';
import { HaproxyFault, type RuntimeSocket } from './runtime-socket.ts';
import { parseServerStates, type HaproxyServerState } from './server-states.ts';
import { parseStatReport, type StatReport } from './stat-report.ts';

/** The state of one HAProxy process at one moment. */
export interface HaproxyReport extends StatReport {
  readonly process: ProcessInfo;
  readonly serverStates: ReadonlyMap<string, HaproxyServerState>;
}

const ATTEMPTS = 2;

/**
 * Requests a complete report. The process is identified before and after the other commands: a reload in
 * between would mix the counters of two processes. Rejects with {@link HaproxyFault}.
 */
export async function readReport(socket: RuntimeSocket): Promise<HaproxyReport> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const before = parseProcessInfo(await socket.ask('show info'));
    const [stat, states] = await Promise.all([socket.ask('show stat'), socket.ask('show servers state')]);
    const process = parseProcessInfo(await socket.ask('show info'));
    if (!isSameProcess(before, process)) continue;
    return { ...parseStatReport(stat), process, serverStates: parseServerStates(states) };
  }
  throw new HaproxyFault(`${socket.path}: the process changed during each read`);
}
