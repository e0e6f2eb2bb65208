import { describe, expect, it } from '@jest/globals';
import { StopSignal } from '#platform/foundation';
import { Log } from '#platform/observability';
import { ScriptedProxySource } from '#proxy/testing';
import { ConfigFiles } from '../config/config-files.ts';
import { parseProxyConfig } from '../config/load/parse-proxy-config.ts';
import type { ProxyConfig } from '../config/proxy-config.ts';
import { ProxyRunner } from './proxy-runner.ts';

/** Records logged events, with their reason if any. */
class KeptLog extends Log {
  readonly said: string[] = [];
  readonly debug = this.#keep;
  readonly info = this.#keep;
  readonly warn = this.#keep;
  readonly error = this.#keep;
  readonly fatal = this.#keep;

  #keep(fields: { readonly event?: string; readonly reason?: string }): void {
    this.said.push([fields.event, fields.reason].filter((word) => word !== undefined).join(' '));
  }
}

/** A proxy whose start is controlled by the test. */
class StartedSource extends ScriptedProxySource {
  readonly starting = Promise.withResolvers<undefined>();

  override async start(): Promise<void> {
    await super.start();
    await this.starting.promise;
  }
}

function configOf(adminAddress: string, rest = ''): ProxyConfig {
  const files = new ConfigFiles('/', new Map());
  return parseProxyConfig(`admin_address: ${adminAddress}\n${rest}`, {
    file: 'proxy.yaml',
    files,
    environment: {},
    nowMs: 0,
  });
}

function world() {
  const source = new StartedSource();
  const log = new KeptLog();
  const stop = new StopSignal();
  const config = configOf('127.0.0.1:9901');
  return { source, log, stop, runner: new ProxyRunner({ source, config, log, stop }) };
}

describe('ProxyRunner', () => {
  it('stops the proxy with the process, and logs it', async () => {
    const { source, log, runner } = world();
    source.starting.resolve(undefined);
    await runner.start();

    await runner.beforeApplicationShutdown();
    await runner.ended;

    expect(source.orders).toEqual(['start', 'stop']);
    expect(log.said).toEqual(['proxy.draining shutdown', 'proxy.stopped']);
  });

  it('logs the reason for which the process ends', async () => {
    const { source, log, stop, runner } = world();
    source.starting.resolve(undefined);
    await runner.start();

    stop.request('SIGTERM');
    await runner.beforeApplicationShutdown();

    expect(log.said[0]).toBe('proxy.draining SIGTERM');
  });

  it('stops without a log line after a failed start', async () => {
    const { source, log, runner } = world();
    source.starting.reject(new Error('the port is in use'));
    await expect(runner.start()).rejects.toThrow('the port is in use');

    await runner.beforeApplicationShutdown();

    expect(source.orders).toEqual(['start', 'stop']);
    expect(log.said).toEqual([]);
  });

  it('drains once, for any number of requests, and then ends the process', async () => {
    const { source, log, stop, runner } = world();
    source.starting.resolve(undefined);
    await runner.start();

    runner.drain('of the admin server');
    runner.drain('again');
    await runner.beforeApplicationShutdown();

    expect(await stop.promise).toBe('of the admin server');
    expect(source.orders).toEqual(['start', 'drain']);
    expect(log.said).toEqual(['proxy.draining of the admin server', 'proxy.stopped']);
  });

  it('calls off its start at a request to stop, without a wait', async () => {
    const { source, log, stop, runner } = world();
    const started = runner.start();

    stop.request('SIGTERM');
    const isLive = await started;
    await runner.beforeApplicationShutdown();

    expect(isLive).toBe(false);
    expect(source.orders).toEqual(['start', 'stop']);
    expect(log.said).toEqual(['proxy.draining SIGTERM', 'proxy.stopped']);
  });

  it('does not begin a start after a request to stop', async () => {
    const { source, stop, runner } = world();
    stop.request('SIGTERM');

    expect(await runner.start()).toBe(false);
    expect(source.orders).toEqual([]);
  });

  it('drains before it is live, and no longer waits for its start', async () => {
    const { source, log, runner } = world();
    const started = runner.start();

    runner.drain('of the admin server');
    expect(await started).toBe(false);
    await runner.beforeApplicationShutdown();

    expect(source.orders).toEqual(['start', 'drain']);
    expect(log.said).toEqual(['proxy.draining of the admin server', 'proxy.stopped']);
  });

  it.each([
    ['127.0.0.1:9901', 'applied', []],
    ['127.0.0.1:9902', 'applied', ['proxy.admin_changed']],
    ['127.0.0.1:9902', 'rejected', []],
  ] as const)('with the admin server at %s after a reload that was %s warns: %j', (address, result, said) => {
    const { source, log } = world();
    source.held = configOf(address);

    source.emit({ type: 'config_reload', at: 0, result, faults: [] });

    expect(log.said).toEqual(said);
  });

  it('logs the warnings of a reloaded configuration', () => {
    const { source, log } = world();
    source.held = configOf('127.0.0.1:9901', 'clusters: [{ name: old, endpoints: [{ address: a:1 }] }]\n');

    source.emit({ type: 'config_reload', at: 0, result: 'applied', faults: [] });

    expect(log.said).toEqual(['config.warning']);
  });
});
