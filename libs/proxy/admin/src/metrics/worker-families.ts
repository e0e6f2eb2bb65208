import type { ProxySnapshot, WorkerSnapshot } from '#proxy/engine';
import type { Emit } from './exposition.ts';
import { counter, gauge, type MetricFamily } from './metric-family.ts';

const WORKER = ['worker'];

/** Families of a proxy with several processes. */
export const WORKER_FAMILIES: readonly MetricFamily[] = [
  gauge(
    ['worker_serving', '1 while the worker process carries traffic and responds'],
    WORKER,
    each(({ isServing }) => Number(isServing)),
  ),
  counter(
    ['worker_exits_total', 'Worker processes that ended unexpectedly and were restarted'],
    WORKER,
    each(({ exits }) => exits),
  ),
  gauge(
    ['worker_cx_active', 'Open downstream connections of the worker process'],
    WORKER,
    each(({ cxActive }) => cxActive),
  ),
  gauge(
    ['worker_cpu_seconds', 'CPU time of the current worker process'],
    WORKER,
    each(({ cpuSeconds }) => cpuSeconds),
  ),
  gauge(
    ['worker_resident_memory_bytes', 'Resident memory of the current worker process'],
    WORKER,
    each(({ residentBytes }) => residentBytes),
  ),
];

function each(value: (worker: WorkerSnapshot) => number): (snapshot: ProxySnapshot, emit: Emit) => void {
  return ({ workers = [] }, emit) => {
    for (const worker of workers) emit(value(worker), String(worker.number));
  };
}
