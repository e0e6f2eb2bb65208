import { closeSync, fdatasyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';

const TMPFS_MAGIC = 0x0102_1994;
const PROBE_MS = 500;
const PROBE_BLOCK = Buffer.alloc(4_096, 1);

/** One line that describes the machine. */
export function describeMachine(): string {
  const processors = cpus();
  const memoryGib = (totalmem() / 2 ** 30).toFixed(0);
  const model = processors[0]?.model.trim() ?? 'unknown processor';
  return `${processors.length} × ${model}, ${memoryGib} GiB, ${platform()} ${release()} ${arch()}, Node ${process.version}`;
}

/** Whether a directory is in memory, where a sync costs nothing and durable figures mean nothing. */
export function isInMemory(directory: string): boolean {
  return statfsSync(directory).type === TMPFS_MAGIC;
}

/** The number of appends of 4 KiB with a sync that this disk completes per second. */
export function syncsPerSecond(directory: string): number {
  const path = join(directory, 'sync-probe');
  const file = openSync(path, 'w');
  const start = performance.now();
  let syncs = 0;
  while (performance.now() - start < PROBE_MS) {
    writeSync(file, PROBE_BLOCK);
    fdatasyncSync(file);
    syncs++;
  }
  const perSecond = (syncs * 1_000) / (performance.now() - start);
  closeSync(file);
  rmSync(path);
  return perSecond;
}
