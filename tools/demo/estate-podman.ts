/** Podman with a storage of its own: an image of the shop, a container of it, and the socket of the API. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Place, Source } from './estate-source.ts';

const IMAGE = 'registry.corp.example/shop/web:2.1';
const COMMAND_MS_MAX = 30_000;
const START_MS_MAX = 20_000;
const POLL_MS = 50;
const run = promisify(execFile);

export async function startPodman({ opened, directory, say }: Place): Promise<Source> {
  const own = join(directory, 'podman');
  await mkdir(join(own, 'rootfs'), { recursive: true });
  await writeFile(join(own, 'rootfs/shop'), 'the shop\n');
  const storage = `[storage]\ndriver = "vfs"\ngraphroot = "${own}/graph"\nrunroot = "${own}/run"\n`;
  await writeFile(join(own, 'storage.conf'), storage);
  const env = { ...process.env, CONTAINERS_STORAGE_CONF: join(own, 'storage.conf') };
  const podman = async (...args: readonly string[]): Promise<void> => {
    try {
      await run('podman', args, { env, cwd: own, timeout: COMMAND_MS_MAX });
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ENOENT'
        ? new Error('podman is not installed; Debian: apt-get install podman')
        : new Error(
            `podman ${args[0] ?? ''} failed: ${(error as { stderr?: string }).stderr ?? String(error)}`,
          );
    }
  };
  await podman('--version');
  const tar = ['--owner=0', '--group=0', '-C', join(own, 'rootfs'), '-cf', join(own, 'layer.tar'), '.'];
  await run('tar', tar);
  await podman('import', join(own, 'layer.tar'), IMAGE);
  await podman('create', '--network', 'host', '--name', 'shop', IMAGE, '/shop');
  const socket = join(own, 'podman.sock');
  const args = ['system', 'service', '--time=0', `unix://${socket}`];
  const service = await opened.open(
    () => spawn('podman', args, { env, stdio: 'ignore' }),
    async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  );
  const late = AbortSignal.timeout(START_MS_MAX);
  while (!existsSync(socket)) {
    if (service.exitCode !== null || late.aborted) throw new Error('the service of podman does not start');
    await pause(POLL_MS);
  }
  say('started  Podman with a container of the shop');
  const config = { socket, host: 'podman' };
  return { id: 'containers', about: 'Podman: containers and images', connector: 'containers', config };
}
