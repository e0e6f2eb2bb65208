import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import {
  type AddressInfo,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { createChannel, type NotificationConfig, sendTest } from '#graph/notify';
import { NodeDisk } from '#platform/disk';
import { Secret, systemClock } from '#platform/foundation';
import type { NotificationMessage } from '../src/outbox/message.ts';

type Config = NotificationConfig['channels'] extends ReadonlyMap<string, infer C> ? C : never;

const DISK = new NodeDisk();
const PASSWORD = 'correct-horse';
const finding = (label: string) => ({
  finding_id: `r:${label}`,
  rule_id: 'r',
  rule: 'A <rule> & more',
  severity: 'high',
  frameworks: [],
  label,
  class: 'Host',
  first_seen: '2026-01-01T00:00:00.000Z',
});
const MESSAGE: NotificationMessage = {
  id: 'abc',
  event: 'opened',
  at: '2026-01-01T00:00:00.000Z',
  count: 3,
  more: 1,
  findings: [finding('host a'), finding('host\r\nSubject: b')],
};
const never = new AbortController().signal;

describe('a channel to an SMTP server', () => {
  let server: SMTPServer;
  let mails: string[];
  const options: SMTPServerOptions = {
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) => {
      if (username === 'plexus' && password === PASSWORD) done(null, { user: username });
      else done(new Error(`no: ${String(password)}`));
    },
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push(Buffer.concat(chunks).toString('utf8'));
        done();
      });
    },
  };

  async function listen(more: SMTPServerOptions = {}): Promise<number> {
    server = new SMTPServer({ ...options, ...more });
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    return (server.server.address() as AddressInfo).port;
  }

  const config = (port: number, more: object = {}): Config => ({
    type: 'email',
    host: '127.0.0.1',
    port,
    tls: 'off',
    user: 'plexus',
    from: 'plexus@example.com',
    to: ['ann@example.com'],
    allow_private: ['127.0.0.1'],
    timeout: 5_000,
    password_env: new Secret(PASSWORD),
    ...more,
  });

  beforeEach(() => {
    mails = [];
  });
  afterEach(() => {
    const closed = Promise.withResolvers<undefined>();
    server.close(() => closed.resolve(undefined));
    return closed.promise;
  });

  it('sends a mail that lists the findings, one per line', async () => {
    const channel = createChannel('mail', config(await listen()), DISK, systemClock);
    await channel.send(MESSAGE, never);

    const [mail = ''] = mails;
    expect(mail).toContain('Subject: [Plexus] 3 findings have opened\r\n');
    expect(mail).toContain('To: ann@example.com');
    expect(mail).toContain(
      'high: A <rule> & more: host a\r\nhigh: A <rule> & more: host Subject: b\r\nand 1 more',
    );
  });

  it('sends again to the receivers that the server refused, and to these alone', async () => {
    const envelopes: string[][] = [];
    let isBusy = true;
    const port = await listen({
      onRcptTo: ({ address }, _session, done) => {
        if (address === 'bob@example.com' && isBusy)
          done(Object.assign(new Error('mailbox busy'), { responseCode: 451 }));
        else done();
      },
      onData: (stream, { envelope }, done) => {
        envelopes.push(envelope.rcptTo.map(({ address }) => address));
        stream.resume().on('end', () => done());
      },
    });
    const channel = createChannel(
      'mail',
      config(port, { to: ['ann@example.com', 'bob@example.com'] }),
      DISK,
      systemClock,
    );

    await expect(channel.send(MESSAGE, never)).rejects.toThrow(
      'the mail was not taken for 1 of 2 receivers: EENVELOPE, 451',
    );
    isBusy = false;
    await channel.send(MESSAGE, never);
    await channel.send({ ...MESSAGE, id: 'next' }, never);

    expect(envelopes).toEqual([
      ['ann@example.com'],
      ['bob@example.com'],
      ['ann@example.com', 'bob@example.com'],
    ]);
  });

  it('gives up the receivers that the server refuses for good, and sends to the others', async () => {
    const envelopes: string[][] = [];
    const codes = new Map([
      ['bob@example.com', 550],
      ['cid@example.com', 451],
    ]);
    const port = await listen({
      onRcptTo: ({ address }, _session, done) => {
        const responseCode = codes.get(address);
        if (responseCode === undefined) done();
        else done(Object.assign(new Error('no such mailbox'), { responseCode }));
      },
      onData: (stream, { envelope }, done) => {
        envelopes.push(envelope.rcptTo.map(({ address }) => address));
        stream.resume().on('end', () => done());
      },
    });
    const to = ['ann@example.com', 'bob@example.com', 'cid@example.com'];
    const channel = createChannel('mail', config(port, { to }), DISK, systemClock);
    const attempt = () => channel.send(MESSAGE, never).catch((error: unknown) => String(error));

    const first = await attempt();
    const second = await attempt();
    codes.delete('cid@example.com');
    const third = await attempt();

    expect([first, second, third]).toEqual([
      'DeliveryFailed: the mail was not taken for 2 of 3 receivers: EENVELOPE, 451',
      'DeliveryFailed: the mail was not taken for 2 of 3 receivers: EENVELOPE, 451',
      'DeliveryRefused: the mail was refused for 1 of 3 receivers: EENVELOPE, 550',
    ]);
    expect(envelopes).toEqual([['ann@example.com'], ['cid@example.com']]);
  });

  it.each([
    [554, 'DeliveryRefused: the mail was refused: EMESSAGE, 554'],
    [452, 'DeliveryFailed: the mail was not taken: EMESSAGE, 452'],
  ])('tells a refusal of the mail from one for now: %i', async (responseCode, expected) => {
    const port = await listen({
      onData: (stream, _session, done) => {
        stream.resume().on('end', () => done(Object.assign(new Error('no'), { responseCode })));
      },
    });
    const channel = createChannel('mail', config(port), DISK, systemClock);

    const failure = await channel.send(MESSAGE, never).catch((error: unknown) => String(error));

    expect(failure).toBe(expected);
  });

  it('does not show a password that the server echoes', async () => {
    const channel = createChannel(
      'mail',
      config(await listen(), { password_env: new Secret('wrong') }),
      DISK,
      systemClock,
    );

    const failure = await channel.send(MESSAGE, never).catch((error: unknown) => String(error));

    expect(failure).toBe('DeliveryFailed: the mail was not taken: EAUTH, 535');
  });

  it('requires TLS unless clear text is configured', async () => {
    const channel = createChannel('mail', config(await listen(), { tls: 'starttls' }), DISK, systemClock);

    await expect(channel.send(MESSAGE, never)).rejects.toThrow('the mail was not taken: ');
    expect(mails).toEqual([]);
  });

  it('reaches no private network that is not allowed', async () => {
    const channel = createChannel('mail', config(await listen(), { allow_private: [] }), DISK, systemClock);

    await expect(channel.send(MESSAGE, never)).rejects.toThrow('on a private network');
  });
});

/** Greets, then answers the first command line by line without end. */
async function endlessServer(): Promise<NetServer> {
  const server = createNetServer((socket) => {
    socket.on('error', () => undefined).write('220 welcome\r\n');
    socket.once('data', () => {
      const answering = setInterval(() => socket.write('250-more\r\n'), 10);
      socket.once('close', () => clearInterval(answering));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('a channel to an SMTP server that answers without end', () => {
  let server: NetServer;
  let connected: Promise<Socket>;

  beforeEach(async () => {
    server = await endlessServer();
    connected = once(server, 'connection').then(([socket]) => socket as Socket);
  });
  afterEach(async () => {
    (await connected).destroy();
    await once(server.close(), 'close');
  });

  const channel = (timeout: number) => {
    const { port } = server.address() as AddressInfo;
    const host = '127.0.0.1';
    const addresses = { from: 'plexus@example.com', to: ['ann@example.com'], allow_private: [host] };
    return createChannel(
      'mail',
      { type: 'email', host, port, tls: 'off', timeout, ...addresses },
      DISK,
      systemClock,
    );
  };

  it('fails at the time limit of the attempt', async () => {
    await expect(channel(200).send(MESSAGE, never)).rejects.toThrow('the mail was not taken');
  });

  it('ends when the service stops', async () => {
    const stopped = new AbortController();
    const sending = channel(600_000).send(MESSAGE, stopped.signal);
    await connected;
    stopped.abort();

    await expect(sending).rejects.toThrow('the mail was not taken');
  });
});

describe('a channel to Slack', () => {
  let server: Server;
  let bodies: string[];

  beforeEach(async () => {
    bodies = [];
    server = createServer((request, reply) => {
      request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
      request.on('end', () => reply.end('ok'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => new Promise<void>((resolve) => void server.close(() => resolve())));

  const channel = () => {
    const url_env = new Secret(`http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T/B/x`);
    return createChannel(
      'chat',
      { type: 'slack', url_env, allow_private: ['127.0.0.1'], timeout: 5_000 },
      DISK,
      systemClock,
    );
  };

  it('posts a text with escaped data', async () => {
    const slack = channel();
    await slack.send(MESSAGE, never);
    await slack.close();

    expect(JSON.parse(bodies.join(''))).toEqual({
      text: [
        '*3 findings have opened*',
        '• high: A &lt;rule&gt; &amp; more: host a',
        '• high: A &lt;rule&gt; &amp; more: host Subject: b',
        '• and 1 more',
      ].join('\n'),
    });
  });

  it('accepts a test message', async () => {
    await sendTest(channel(), 0);

    expect(JSON.parse(bodies.join(''))).toEqual({ text: '*a test message*' });
  });
});

describe('a channel to a web server whose answer does not end', () => {
  let server: NetServer;
  let sockets: Socket[];

  beforeEach(async () => {
    sockets = [];
    server = createNetServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await once(server.close(), 'close');
  });

  const sent = (head: string, signal = never) => {
    server.on('connection', (socket: Socket) => {
      socket.on('error', () => undefined).once('data', () => socket.write(`${head}\r\n\r\nhalf`));
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const config = { type: 'webhook', url, allow_private: ['127.0.0.1'], timeout: 1_000 } as const;
    return createChannel('ops', config, DISK, systemClock).send(MESSAGE, signal);
  };

  it('has delivered the message when the status is 2xx', async () => {
    await expect(sent('HTTP/1.1 200 OK\r\nContent-Length: 100')).resolves.toBeUndefined();
  });

  it('fails with the status otherwise', async () => {
    await expect(sent('HTTP/1.1 503 No\r\nContent-Length: 100')).rejects.toThrow('answered 503');
  });
});

it('reports an invalid URL in the environment with the name of its channel', () => {
  const config = {
    type: 'webhook',
    url_env: new Secret('secret words'),
    allow_private: [],
    timeout: 1,
  } as const;
  expect(() => createChannel('ops', config, DISK, systemClock)).toThrow(
    'channels.ops: expected an http or https URL',
  );
});
