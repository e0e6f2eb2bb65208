import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { existsSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectorMatchers, runConnector } from '#graph/connector';
import { describeUnless } from '#testing';
import { containersConnector } from '../../src/connectors/containers/containers-connector.ts';
import { emittedEntity, type TestRun } from '../../src/kit/run-connector.ts';

const ID = `sha256:${'ab'.repeat(32)}`;
const run = (socket: string): Promise<TestRun> =>
  runConnector(containersConnector, { config: { socket, host: 'web-1' } });
const keysOf = ({ entities }: TestRun, type: string) =>
  entities.filter((each) => each.type === type).map(({ key }) => key);
const sentences = ({ relationships }: TestRun) =>
  relationships.map(({ from, verb, to }) => `${from.key} ${verb} ${to.key}`);

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-engine-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('an engine of containers', () => {
  let server: Server;
  let served = '1.41';
  let versions: object | undefined;
  const answers: Record<string, unknown> = {
    '/images/json': [
      { Id: ID, RepoTags: ['shop:1', '<none>:<none>'], RepoDigests: null, Size: 5, Created: 0 },
    ],
    '/volumes': { Volumes: [{ Name: 'data', Driver: 'local' }, { Name: 'unused' }], Warnings: null },
    '/networks': [{ Name: 'front', Driver: 'bridge', Internal: true }],
    '/containers/json?all=1': [{ Id: 'c1' }, { Id: 'gone' }],
    '/containers/c1/json': {
      Id: 'c1',
      Name: '/web',
      Path: '/shop',
      Args: ['--password', 'secret-word'],
      Image: ID,
      State: { Status: 'running' },
      Config: { Image: 'shop:1', Env: ['TOKEN=secret-word', 'A=b=c'], Labels: { team: 'x' }, User: '' },
      HostConfig: { Privileged: true, CapAdd: ['NET_ADMIN'], NetworkMode: 'front' },
      NetworkSettings: {
        Ports: {
          '80/tcp': [
            { HostIp: '', HostPort: '8080' },
            { HostIp: '127.0.0.1', HostPort: '8081' },
          ],
          '53/udp': null,
        },
        Networks: { front: {}, other: null },
      },
      Mounts: [
        { Type: 'bind', Source: '/var/run/docker.sock', Destination: '/sock', RW: true },
        { Type: 'volume', Name: 'data', Source: '/x', Destination: '/data', RW: false },
      ],
    },
  };
  const socket = (): string => join(directory, 'fake.sock');

  beforeAll(async () => {
    server = createServer(({ url = '' }, reply) => {
      const [, asked, path] = /^(?:\/v([\d.]+))?(\/.*)$/.exec(url) ?? [];
      const answer = path === '/version' ? versions : answers[`${path}`];
      if (asked === undefined || asked === served)
        reply.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer));
      else reply.writeHead(400).end(JSON.stringify({ message: `client version ${asked} is too old` }));
    }).listen(socket());
    await once(server, 'listening');
  });
  afterAll(() => {
    server.close();
  });

  it('has containers with images, ports, networks, mounts and the names of their environment', async () => {
    const found = await run(socket());

    expect(connectorMatchers.toHaveCompleted(found)).toMatchObject({ pass: true });
    expect(emittedEntity(found, 'container', 'c1').properties).toEqual({
      name: 'web',
      image: 'shop:1',
      state: 'running',
      command: '/shop',
      privileged: true,
      capabilities: ['NET_ADMIN'],
      read_only: false,
      network_mode: 'front',
      env_names: ['A', 'TOKEN'],
      labels: ['team=x'],
    });
    expect(JSON.stringify([found.entities, found.relationships])).not.toContain('secret-word');
    expect(sentences(found).sort()).toEqual([
      'c1 CONNECTS web-1/front',
      'c1 CONNECTS web-1/other',
      'c1 LISTENS_ON c1/tcp/80',
      'c1 LISTENS_ON c1/tcp/80/1',
      'c1 LISTENS_ON c1/udp/53',
      'c1 MOUNTS web-1//var/run/docker.sock',
      'c1 MOUNTS web-1/data',
      `c1 RUNS ${ID}`,
      `docker.io/library/shop:1 MAPS_TO ${ID}`,
      'web-1 RUNS c1',
    ]);
    expect(emittedEntity(found, 'container_volume', 'web-1/data').properties['driver']).toBe('local');
    expect(keysOf(found, 'container_volume')).toEqual(['web-1/data', 'web-1/unused']);
    expect(emittedEntity(found, 'port', 'c1/tcp/80').properties['exposed']).toBe(true);
    expect(emittedEntity(found, 'port', 'c1/tcp/80/1').properties['exposed']).toBe(false);
    expect(emittedEntity(found, 'port', 'c1/udp/53').properties['exposed']).toBe(false);
    expect(found.report.ignored).toEqual({ 'containers that ended meanwhile': 1 });
  });

  it.each([
    ['/images/json', [null], '/images/json[0]: expected an object, got null'],
    ['/images/json', [{ RepoTags: ['shop:1'] }], '/images/json[0].Id: expected a text, got nothing'],
    ['/images/json', [{ Id: ID, RepoTags: 'shop:1' }], '/images/json[0].RepoTags: expected a list'],
    ['/networks', [{}], '/networks[0].Name: expected a text, got nothing'],
    ['/volumes', [], '/volumes: expected an object'],
    ['/volumes', { Volumes: [{}] }, '/volumes.Volumes[0].Name: expected a text, got nothing'],
    ['/containers/json?all=1', ['c1'], '/containers/json?all=1[0]: expected an object'],
    ['/containers/c1/json', null, '/containers/c1/json: expected an object, got null'],
    [
      '/containers/c1/json',
      { Id: 'c1', Image: 'no image' },
      '/containers/c1/json.Image: expected the digest',
    ],
    ['/containers/c1/json', { Id: 'c1', Mounts: {} }, '/containers/c1/json.Mounts: expected a list'],
    [
      '/containers/c1/json',
      { Id: 'c1', HostConfig: { Privileged: 'yes' } },
      '/containers/c1/json.HostConfig.Privileged: expected true or false',
    ],
    [
      '/containers/c1/json',
      { Id: 'c1', NetworkSettings: { Ports: { '80/tcp': [{ HostPort: 80 }] } } },
      '.NetworkSettings.Ports.80/tcp[0].HostPort: expected a text, got a number',
    ],
    [
      '/containers/c1/json',
      { Id: 'c1', NetworkSettings: { Ports: { http: null } } },
      '.NetworkSettings.Ports.http: expected a port with its protocol',
    ],
  ])('that answers %s with %j fails the step, with the place', async (path, answer, place) => {
    const before = answers[path];
    answers[path] = answer;
    const { report } = await run(socket());
    answers[path] = before;

    expect(report.status).not.toBe('complete');
    expect(report.steps.find(({ status }) => status === 'failed')?.reason).toContain(place);
  });

  it('has the images and directories of its containers, also those that it does not list', async () => {
    const other = `sha256:${'cd'.repeat(32)}`;
    const path = '/containers/c1/json';
    const before = answers[path];
    answers[path] = { Id: 'c1', Image: other.replace('sha256:', '') };
    const ofImage = await run(socket());
    answers[path] = { Id: 'c1', Image: '', Rootfs: '/srv/root' };
    const ofDirectory = await run(socket());
    answers[path] = before;

    expect(sentences(ofImage)).toContain(`c1 RUNS ${other}`);
    expect(keysOf(ofImage, 'container_image')).toContain(other);
    expect(ofDirectory.report.status).toBe('complete');
    expect(sentences(ofDirectory)).toEqual([`docker.io/library/shop:1 MAPS_TO ${ID}`, 'web-1 RUNS c1']);
  });

  it.each([
    ['1.44', { ApiVersion: '1.52', MinAPIVersion: '1.44' }],
    ['1.9', { ApiVersion: '1.9', MinAPIVersion: '1.2' }],
    ['1.41', { ApiVersion: '1.52', MinAPIVersion: '1.24' }],
    ['1.41', {}],
  ])('is asked in the version %s of its API if it serves %j', async (version, stated) => {
    [served, versions] = [version, stated];
    const found = await run(socket());
    versions = undefined;
    const without = await run(socket());
    served = '1.41';

    expect(connectorMatchers.toHaveCompleted(found)).toMatchObject({ pass: true });
    expect(keysOf(found, 'container')).toEqual(['c1']);
    expect(without.report.steps[0]?.reason).toBe(
      version === '1.41'
        ? undefined
        : 'the engine answered 400 to /images/json: client version 1.41 is too old',
    );
  });

  it('that does not list the volumes of a driver is partial', async () => {
    const before = answers['/volumes'];
    answers['/volumes'] = { Volumes: null, Warnings: ['nfs: no answer'] };
    const { report } = await run(socket());
    answers['/volumes'] = before;

    expect([report.status, report.partial_types]).toEqual(['partial', ['container_volume']]);
    expect(report.warnings.join()).toContain('not all volumes are listed: nfs: no answer');
  });

  it('that does not answer, or answers something else, fails the run without its path', async () => {
    const none = await run(join(directory, 'none.sock'));
    answers['/networks'] = { message: 'no' };
    const other = await run(socket());

    expect(none.report.steps[0]?.reason).toBe('no engine answers at the socket: ENOENT');
    expect(other.report.steps[1]?.reason).toBe('expected a list of /networks, got something else');
  });
});

function missing(): string | undefined {
  try {
    execFileSync('podman', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'podman is not installed';
  }
}

describeUnless(missing())('Podman itself', () => {
  let service: ChildProcess;
  let env: NodeJS.ProcessEnv;
  const podman = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)('podman', args, { env, cwd: directory })).stdout.trim();

  beforeAll(async () => {
    await mkdir(join(directory, 'rootfs'));
    await writeFile(join(directory, 'rootfs/hello'), 'hello');
    const storage = `[storage]\ndriver = "vfs"\ngraphroot = "${directory}/graph"\nrunroot = "${directory}/run"\n`;
    await writeFile(join(directory, 'storage.conf'), storage);
    env = { ...process.env, CONTAINERS_STORAGE_CONF: join(directory, 'storage.conf') };
    await promisify(execFile)('tar', [
      '-C',
      join(directory, 'rootfs'),
      '-cf',
      join(directory, 'layer.tar'),
      '.',
    ]);
    await podman('import', join(directory, 'layer.tar'), 'localhost/demo:1');
    const socket = join(directory, 'podman.sock');
    const appeared = Promise.withResolvers<undefined>();
    const watcher = watch(directory, () => {
      if (existsSync(socket)) appeared.resolve(undefined);
    });
    service = spawn('podman', ['system', 'service', '--time=0', `unix://${socket}`], {
      env,
      stdio: 'ignore',
    });
    await appeared.promise;
    watcher.close();
  }, 120_000);
  afterAll(async () => {
    service.kill();
    await once(service, 'exit');
  });

  it('has the containers and images that it lists itself, and no longer one that was removed', async () => {
    const create = ['create', '--network', 'host', '-e', 'TOKEN=secret-word', 'localhost/demo:1', '/hello'];
    const ids = [await podman(...create), await podman(...create)];
    const before = await run(join(directory, 'podman.sock'));
    await podman('rm', ids[0] ?? '');
    const after = await run(join(directory, 'podman.sock'));

    expect(connectorMatchers.toHaveCompleted(before)).toMatchObject({ pass: true });
    expect(keysOf(before, 'container').sort()).toEqual(ids.toSorted());
    expect(keysOf(after, 'container')).toEqual([ids[1]]);
    const image = `sha256:${(await podman('images', '--no-trunc', '--quiet')).replace('sha256:', '')}`;
    expect(keysOf(before, 'container_image')).toEqual(expect.arrayContaining(['localhost/demo:1', image]));
    expect(sentences(before)).toContain(`${ids[0]} RUNS ${image}`);
    expect(JSON.stringify([before.entities, before.relationships])).not.toContain('secret-word');
  }, 120_000);
});

const DOCKER_HOST = process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';
const SOCKET = DOCKER_HOST.replace('unix://', '');
const DOCKER = { env: { ...process.env, DOCKER_HOST }, timeout: 60_000 };

/** Podman has a command of this name, too. */
function missingDocker(): string | undefined {
  if (!DOCKER_HOST.startsWith('unix://')) return 'the engine of Docker is elsewhere';
  try {
    const format = '{{(index .Server.Components 0).Name}}';
    const engine = execFileSync('docker', ['version', '--format', format], { ...DOCKER, stdio: 'pipe' });
    return engine.toString().trim() === 'Engine' ? undefined : 'the engine is not that of Docker';
  } catch {
    return 'no engine of Docker runs';
  }
}

describeUnless(missingDocker())('Docker itself', () => {
  const tag = `plexus-test-${randomUUID()}:1`;
  const made: string[] = [];
  const leftovers: (readonly string[])[] = [];
  const docker = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)('docker', args, DOCKER)).stdout.trim();

  /** The engine is that of the machine. */
  afterAll(async () => {
    if (made.length > 0) await docker('rm', '--force', '--volumes', ...made);
    for (const command of leftovers) await docker(...command);
  }, 120_000);

  it('has the containers and images that it lists itself, and no longer one that was removed', async () => {
    const content = join(directory, 'content');
    await mkdir(content);
    await writeFile(join(content, 'hello'), 'hello');
    await promisify(execFile)('tar', ['-C', content, '-cf', join(directory, 'docker.tar'), '.']);
    const image = await docker('import', join(directory, 'docker.tar'), tag);
    leftovers.push(['rmi', tag]);
    const create = ['create', '--network', 'none', '-v', '/data', '-e', 'TOKEN=secret-word', tag, '/hello'];
    for (let count = 0; count < 2; count++) made.push(await docker(...create));
    const names = await docker('inspect', '--format', '{{range .Mounts}}{{.Name}}{{end}}', ...made);
    const volumes = names.split('\n').map((name) => `web-1/${name}`);
    leftovers.push(['volume', 'rm', '--force', ...names.split('\n')]);

    const ids = [...made];
    const before = await run(SOCKET);
    await docker('rm', made.shift() ?? '');
    const after = await run(SOCKET);

    expect(connectorMatchers.toHaveCompleted(before)).toMatchObject({ pass: true });
    expect(keysOf(before, 'container')).toEqual(expect.arrayContaining(ids));
    expect(keysOf(after, 'container')).toContain(ids[1]);
    expect(keysOf(after, 'container')).not.toContain(ids[0]);
    expect(keysOf(before, 'container_volume')).toEqual(expect.arrayContaining(volumes));
    // The volume stays when its container goes.
    expect(keysOf(after, 'container_volume')).toEqual(expect.arrayContaining(volumes));
    expect(sentences(before)).toEqual(
      expect.arrayContaining([`${ids[0]} RUNS ${image}`, `docker.io/library/${tag} MAPS_TO ${image}`]),
    );
    expect(JSON.stringify([before.entities, before.relationships])).not.toContain('secret-word');
  }, 120_000);
});
