import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;

function tryToTake(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function readHolder(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Renamed before it is checked again: of two processes that find the same stale lock, one succeeds. */
function clearDeadHolder(path, holder) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (readHolder(aside) === holder) rmSync(aside);
  else renameSync(aside, path);
}

async function waitFor(path, say) {
  let isReported = false;
  while (!tryToTake(path)) {
    const holder = readHolder(path);
    const isDead = holder !== undefined && holder !== '' && !isRunning(Number(holder));
    if (isDead) {
      clearDeadHolder(path, holder);
      continue;
    }
    if (!isReported) say('waiting for another process that prepares this checkout …');
    isReported = true;
    await delay(POLL_MS);
  }
}

/**
 * Runs `work` while no other process of this machine does so under the same path; a stale lock is replaced.
 */
export async function withLock(path, say, work) {
  await waitFor(path, say);
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}
