import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { systemClock } from '#platform/foundation';
import { Log } from '#platform/observability';
import type { ProxyEvent } from '#proxy/engine';
import { HaproxySource } from '../src/haproxy-source.ts';

const INFO = 'Name: HAProxy\nVersion: 2.6\nPid: 7\nUptime_sec: 1\nStopping: 0\n\n';
const STAT = `# pxname,svname,scur,conn_tot,status,type,addr,mode,
web,FRONTEND,1,5,OPEN,0,,http,
api,a1,1,,UP,2,10.0.0.1:80,http,
api,BACKEND,1,,UP,1,,http,

`;
const STATES = `1
# be_id be_name srv_id srv_name srv_addr srv_admin_state srv_fqdn srv_port
2 api 1 a1 10.0.0.1 0 - 80

`;
const GOOD: Readonly<Record<string, string>> = {
  'show info': INFO,
  'show stat': STAT,
  'show servers state': STATES,
};

const NEVER_MS = 600_000;

class RecordingLog extends Log {
  readonly fields: object[] = [];

  override debug(fields: object): void {
    this.fields.push(fields);
  }

  override info(fields: object): void {
    this.fields.push(fields);
  }

  override warn(fields: object): void {
    this.fields.push(fields);
  }

  override error(fields: object): void {
    this.fields.push(fields);
  }

  override fatal(fields: object): void {
    this.fields.push(fields);
  }
}

type Behaviour = (socket: Socket, command: string) => void;

const wellBehaved: Behaviour = (socket, command) => socket.end(GOOD[command] ?? 'Unknown command\n');

/** Replaces the response to one command. */
const instead = (command: string, text: string): Behaviour => {
  return (socket, asked) => (asked === command ? socket.end(text) : wellBehaved(socket, asked));
};

describe('HaproxySource over a faulty socket', () => {
  let directory: string;
  let server: Server;
  let behaviour: Behaviour;
  let asked: string[];
  let source: HaproxySource;
  let aheadMs: number;
  let log: RecordingLog;
  let drain: { graceMs: number; timeoutMs: number };
  const sockets = new Set<Socket>();

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-haproxy-'));
    asked = [];
    aheadMs = 0;
    log = new RecordingLog();
    drain = { graceMs: 0, timeoutMs: 0 };
    behaviour = wellBehaved;
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', (bytes: Buffer) => {
        const command = bytes.toString().trimEnd();
        asked.push(command);
        behaviour(socket, command);
      });
    }).listen(join(directory, 's'));
    await once(server, 'listening');
    source = new HaproxySource({
      socket: join(directory, 's'),
      config: undefined,
      drain,
      disk: new NodeDisk(),
      log,
      clock: { nowMs: () => systemClock.nowMs(), monotonicMs: () => aheadMs },
      socketLimits: { timeoutMs: 1_000, answerBytesMax: 100_000 },
    });
    await source.start();
  });

  afterEach(async () => {
    source.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    server.close();
    await rm(directory, { recursive: true });
  });

  const look = async (behaves: Behaviour) => {
    behaviour = behaves;
    aheadMs += 60_000;
    return source.snapshot();
  };

  it.each<[string, Behaviour]>([
    ['closes without a response', (socket) => socket.end()],
    ['breaks the connection', (socket) => socket.destroy()],
    ['never answers', () => undefined],
    ['begins and does not end', (socket) => socket.write('# pxname,')],
    ['does not stop', (socket) => socket.end('x'.repeat(200_000))],
    ['speaks HTTP', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['sends bytes', (socket) => socket.end(Buffer.from([0, 255, 254, 10, 35]))],
    ['does not know a command', (socket) => socket.end('Unknown command.\n')],
    ['has a table of something else', instead('show stat', '# a,b\n1,2,3\n')],
    ['has an invalid number', instead('show stat', STAT.replace(',1,5,', ',-1,5e9,'))],
    ['has no process id', instead('show info', INFO.replace('Pid: 7', 'Pid: seven'))],
    ['has another format of states', instead('show servers state', STATES.replace('1\n', '2\n'))],
    ['has a short row of states', instead('show servers state', STATES.replace(' - 80', ''))],
    [
      'is another process each time',
      (socket, command) => {
        const isInfo = command === 'show info';
        if (isInfo) socket.end(INFO.replace('Pid: 7', `Pid: ${asked.length}`));
        else wellBehaved(socket, command);
      },
    ],
  ])('is not LIVE and has no healthy endpoint when the socket %s', async (_, misbehaves) => {
    const before = await look(wellBehaved);
    const lost = await look(misbehaves);
    const after = await look(wellBehaved);

    expect([before.state, lost.state, after.state]).toEqual(['LIVE', 'INITIALIZING', 'LIVE']);
    expect(lost.clusters[0]?.endpoints[0]).toMatchObject({
      address: '10.0.0.1:80',
      healthy: false,
      activeRequests: 0,
    });
    expect([before.downstreamCxTotal, lost.downstreamCxTotal, after.downstreamCxTotal]).toEqual([5, 5, 5]);
    expect([before.downstreamCxActive, lost.downstreamCxActive, after.downstreamCxActive]).toEqual([1, 0, 1]);
  });

  it('reports that endpoints are not healthy because HAProxy is unreachable, not for their last check', async () => {
    const events: ProxyEvent[] = [];
    const checked = STAT.replace('mode,', 'mode,check_status,last_chk,').replace(/http,$/gm, 'http,L4OK,,');
    await look(instead('show stat', checked));
    source.onEvent((event) => events.push(event));

    await look((socket) => socket.end());

    const health = { type: 'endpoint_health', healthy: false, reason: 'HAProxy is unreachable' };
    expect(events).toContainEqual(expect.objectContaining(health));
  });

  it('shares one reading among concurrent callers, and for a moment after', async () => {
    await look(wellBehaved);
    asked = [];
    aheadMs += 60_000;

    await Promise.all(Array.from({ length: 100 }, () => source.snapshot()));
    await source.snapshot();

    expect(asked).toEqual(['show info', 'show stat', 'show servers state', 'show info']);
  });

  it('waits longer after each failure, without blocking callers', async () => {
    const attempts: number[] = [];
    behaviour = (socket) => socket.end();
    for (let i = 0; i < 40; i++) {
      asked = [];
      aheadMs += 250;
      await source.snapshot();
      if (asked.length > 0) attempts.push(i);
    }

    const pauses = attempts.slice(1).map((attempt, i) => attempt - (attempts[i] ?? 0));
    expect(pauses.slice(0, 4)).toEqual([1, 2, 4, 8]);
  });

  it('rejects changes with the reason that HAProxy is unreachable', async () => {
    const change = { cluster: 'api', address: '10.0.0.1:80', isEnabled: false };
    await look((socket) => socket.end());

    await expect(source.setEndpoint(change)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
  });

  it('reports why HAProxy rejected a command', async () => {
    const change = { cluster: 'api', address: '10.0.0.1:80', isEnabled: false };
    behaviour = instead('set server api/a1 state maint', 'Permission denied\n');

    await expect(source.setEndpoint(change)).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: 'haproxy refused set server api/a1 state maint: Permission denied',
    });
  });

  it('ends a drain that HAProxy rejects', async () => {
    behaviour = instead('set server api/a1 state drain', 'Permission denied\n');

    await expect(source.drain()).resolves.toEqual({ cutConnections: 0, cutRequests: 0 });
  });

  it.each<[string, Behaviour]>([
    ['does not answer', (socket) => socket.end()],
    ['answers nonsense', instead('show stat', 'nonsense\n')],
  ])('does not drain a HAProxy that %s, and reports it', async (_, faulty) => {
    behaviour = faulty;

    await expect(source.drain()).resolves.toEqual({ cutConnections: 0, cutRequests: 0 });

    expect(log.fields).toContainEqual(
      expect.objectContaining({ event: 'haproxy.drain_failed', reason: 'haproxy does not answer' }),
    );
  });

  it('continues a drain when HAProxy answers again', async () => {
    let readings = 0;
    drain.timeoutMs = NEVER_MS;
    behaviour = (socket, command) => {
      if (command === 'show info') readings += 1;
      const stat = readings > 6 ? STAT.replace('api,a1,1,', 'api,a1,0,') : STAT;
      if (readings === 1 || readings === 4) socket.end();
      else if (command.startsWith('set server')) socket.end('\n');
      else instead('show stat', stat)(socket, command);
    };
    asked = [];

    await expect(source.drain()).resolves.toEqual({ cutConnections: 0, cutRequests: 0 });

    expect(asked.filter((command) => command.startsWith('set'))).toEqual(['set server api/a1 state drain']);
    expect(readings).toBeGreaterThan(6);
  });

  it('has drained a HAProxy that has ended', async () => {
    server.close();
    await rm(join(directory, 's'), { force: true });

    await expect(source.drain()).resolves.toEqual({ cutConnections: 0, cutRequests: 0 });

    expect(log.fields).not.toContainEqual(expect.objectContaining({ event: 'haproxy.drain_failed' }));
  });

  it('rejects a name that could end a command', async () => {
    await look(instead('show stat', STAT.replace(',a1,', ',a1 state ready; quit,')));
    const change = { cluster: 'api', address: '10.0.0.1:80', isEnabled: false };

    await expect(source.setEndpoint(change)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    expect(asked.filter((command) => command.startsWith('set'))).toEqual([]);
  });

  it('rejects an explanation', async () => {
    await expect(source.explain()).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
  });
});
