/** A reader that stops early, as `head -1` does, ends no built program with a stack trace. */
import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAMS = fileURLToPath(new URL('../dist/programs/', import.meta.url));
const APPS = ['graph', 'hive', 'proxy-admin', 'edge', 'sequencer'] as const;

describe.each(APPS)('%s', (app) => {
  /** Closes one of its outputs before it has written, and returns its code and the text of the other. */
  const withClosed = async (closed: 'stdout' | 'stderr', ...args: string[]) => {
    const child = spawn(process.execPath, [`${PROGRAMS}${app}.js`, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child[closed].destroy();
    const other = closed === 'stdout' ? child.stderr : child.stdout;
    const pieces: Buffer[] = [];
    other.on('data', (piece: Buffer) => pieces.push(piece));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, text: Buffer.concat(pieces).toString('utf8') };
  };

  it('ends with 0 when its help or its version is not read', async () => {
    expect(await withClosed('stdout', '--help')).toEqual({ code: 0, text: '' });
    expect(await withClosed('stdout', '--version')).toEqual({ code: 0, text: '' });
  });

  it('ends with 2 when the message of a wrong use is not read', async () => {
    expect(await withClosed('stderr', '--nonsense')).toEqual({ code: 2, text: '' });
  });
});
