import type { ProxySnapshot, WorkerSnapshot } from '#proxy/engine';
import type { Emit } from './exposition.ts';
import { counter, gauge, type MetricFamily } from './metric-family.ts';

const WORKER = ['worker'];

/** Of a proxy of several processes only. */
export const WORKER_FAMILIES: readonly MetricFamily[] = [
  gauge(
    ['worker_serving', '1 while the worker process carries traffic and answers'],
    WORKER,
    each(({ isServing }) => Number(isServing)),
  ),
  counter(
    ['worker_exits_total', 'Worker processes that ended by themselves, each of which was started anew'],
    WORKER,
    each(({ exits }) => exits),
  ),
  gauge(
    ['worker_cx_active', 'Open downstream connections of the worker process'],
    WORKER,
    each(({ cxActive }) => cxActive),
  ),
  gauge(
    ['worker_cpu_seconds', 'CPU time of the worker process of now'],
    WORKER,
    each(({ cpuSeconds }) => cpuSeconds),
  ),
  gauge(
    ['worker_resident_memory_bytes', 'Resident memory of the worker process of now'],
    WORKER,
    each(({ residentBytes }) => residentBytes),
  ),
];

function each(value: (worker: WorkerSnapshot) => number): (snapshot: ProxySnapshot, emit: Emit) => void {
  return ({ workers = [] }, emit) => {
    for (const worker of workers) emit(value(worker), String(worker.number));
  };
}
