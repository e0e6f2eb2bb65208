import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { StatusRange } from '../../config/proxy-config.ts';
import { failureReasonOf, faultCodeOf } from '../../source/upstream-failure.ts';
import { systemTimers } from '../target/cluster-context.ts';
import { type Probe, type ProbeRequest, type ProbeResult, upstreamTlsOptions } from '../target/target.ts';

type End = (result: ProbeResult) => void;

const ANSWER_HEAD_BYTES_MAX = 16_384;
const INTERIM_MAX = 1_000;

/** Probes over the network, with a new connection for each check. */
export const systemProbe: Probe = (request, signal) =>
  new Promise((resolve) => {
    const { timeoutMs } = request.check;
    let connection: { destroy(): void } | undefined;
    const end: End = (result) => {
      callOff();
      signal.removeEventListener('abort', onAbort);
      connection?.destroy();
      resolve(result);
    };
    const onAbort = (): void => end(failure('canceled'));
    const callOff = systemTimers.after(timeoutMs, () => end(failure(`no answer within ${timeoutMs} ms`)));
    signal.addEventListener('abort', onAbort);
    try {
      connection = request.check.type === 'http' ? ask(request, end) : connectTo(request, end);
    } catch (error) {
      // Node rejects some requests, and TLS some settings, before anything is sent.
      end(failed(error));
    }
    if (signal.aborted) onAbort();
  });

/** The status decides; the body is not awaited. */
function ask({ check, ip, endpoint, tls }: ProbeRequest, end: End): { destroy(): void } {
  const options = {
    host: ip,
    port: endpoint.port,
    path: check.path,
    agent: false,
    maxHeaderSize: ANSWER_HEAD_BYTES_MAX,
    headers: { host: endpoint.text, 'user-agent': 'plexus-proxy-check', accept: '*/*' },
  };
  const request =
    tls === undefined
      ? requestPlain(options)
      : requestTls({ ...options, ...upstreamTlsOptions(tls, endpoint) });
  request.on('response', ({ statusCode = 0 }) => end(verdictOn(statusCode, check.expected)));
  let interim = 0;
  request.on('information', () => {
    interim += 1;
    if (interim > INTERIM_MAX) end(failure('too many interim answers'));
  });
  request.on('error', (error) => end(failed(error)));
  request.on('close', () => end(failure('closed without an answer')));
  return request.end();
}

/** Connects to the endpoint; with TLS, the handshake has to succeed too. */
function connectTo({ ip, endpoint, tls }: ProbeRequest, end: End): { destroy(): void } {
  const { port } = endpoint;
  const passed = (): void => end({ isPassed: true, reason: 'connected' });
  const socket =
    tls === undefined
      ? connectPlain({ host: ip, port }, passed)
      : connectTls({ host: ip, port, ...upstreamTlsOptions(tls, endpoint) }, passed);
  return socket.on('error', (error: Error) => end(failed(error)));
}

function verdictOn(status: number, expected: readonly StatusRange[]): ProbeResult {
  const isPassed = expected.some(({ from, to }) => status >= from && status <= to);
  return { isPassed, reason: isPassed ? `status ${status}` : `status ${status} is not expected` };
}

function failure(reason: string): ProbeResult {
  return { isPassed: false, reason };
}

function failed(error: unknown): ProbeResult {
  const result = failure(`failed with ${faultCodeOf(error)}`);
  return failureReasonOf(error) === 'no_free_place' ? { ...result, isOwnFault: true } : result;
}
