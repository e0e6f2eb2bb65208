/**
 * The gain of a second worker. Client and upstream share the cores of this machine with the proxy, so a rate
 * cannot show it: it is computed from the CPU time of each process, as the number of requests per second at
 * which the busiest process fills one core, and all of them two cores.
 */
import type { RemoteProcess } from '../harness/child-process.ts';
import type { BenchOptions } from '../harness/options.ts';
import { type Line, renderTable } from '../harness/table.ts';
import { type Contender, startPlexus } from './contenders.ts';
import type { GetLoad, GetLoadProtocol } from './get-load.ts';

const CORES = 2;
const GOAL = 1.8;
const ONE = 'one process';
const TWO = 'two workers';

export interface WorkersParts {
  readonly client: RemoteProcess<GetLoadProtocol>;
  readonly options: BenchOptions;
  readonly upstreamPort: number;
  /** All settings except the port. */
  readonly load: Omit<GetLoad, 'port'>;
  readonly warmRequests: number;
}

/** A Markdown table. */
export async function compareWorkers(parts: WorkersParts): Promise<string> {
  const { upstreamPort, options } = parts;
  const one = { ...(await startPlexus('http', upstreamPort, options.directory)), name: ONE };
  const two = { ...(await startPlexus('http', upstreamPort, options.directory, CORES)), name: TWO };
  try {
    return renderTable(TWO, [TWO, ONE], await rounds([two, one], parts));
  } finally {
    for (const { process } of [one, two]) await process.stop();
  }
}

async function rounds(contenders: readonly Contender[], parts: WorkersParts): Promise<Line[]> {
  const { client, options, load, warmRequests } = parts;
  const empty = (): Map<string, number[]> => new Map(contenders.map(({ name }) => [name, []]));
  const [full, total] = [empty(), empty()];
  for (const { process } of contenders) {
    await client.call('load', { ...load, port: process.port, leastRequests: warmRequests });
  }
  for (let round = 1; round <= options.rounds; round++) {
    for (const { name, process } of contenders) {
      const before = process.cpuMsOfEach;
      const { requests } = await client.call('load', { ...load, port: process.port });
      const spent = process.cpuMsOfEach.map((ms, index) => ms - (before[index] ?? 0));
      const sum = spent.reduce((all, ms) => all + ms, 0);
      const busiest = Math.max(...spent, sum / CORES);
      full.get(name)?.push((requests * 1_000) / busiest);
      total.get(name)?.push(sum / requests);
    }
  }
  return [
    {
      title: 'rate with a core for each of two',
      unit: '/s',
      figures: full,
      reach: [{ against: ONE, factor: GOAL }],
    },
    { title: 'CPU a request, all processes', unit: 'ms', figures: total, reach: [] },
  ];
}
