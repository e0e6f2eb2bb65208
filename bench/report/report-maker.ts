import { join } from 'node:path';
import { serveParent } from '../harness/child-process.ts';
import { peakMbOf } from '../harness/process-cost.ts';
import { builtLibrary } from '../targets/built-library.ts';
import type { ReportProtocol } from './report-protocol.ts';

const { buildReport } = await builtLibrary('load/report');
const { NodeDisk } = await builtLibrary('platform/disk');

serveParent<ReportProtocol>({
  build: async ({ directory }) => {
    const disk = new NodeDisk();
    await disk.remove(join(directory, 'report.json'));
    const startMs = performance.now();
    const startCpu = process.cpuUsage();
    const { summary } = await buildReport(disk, directory);
    const ms = performance.now() - startMs;
    const { user, system } = process.cpuUsage(startCpu);
    const cpuMs = (user + system) / 1_000;
    return { ms, cpuMs, included: summary.included, peakMb: peakMbOf(process.pid) };
  },
});
