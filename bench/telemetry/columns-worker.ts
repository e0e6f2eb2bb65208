/** The product's own writer, on its thread. */
import { parentPort } from 'node:worker_threads';
import type { TelemetryWriter as Writer } from '../../libs/load/telemetry/src/index.ts';
import { assert } from '../../libs/platform/foundation/src/index.ts';
import { builtLibrary } from '../targets/built-library.ts';
import type { FromWriter, ToWriter } from './writer-protocol.ts';

const { NodeDisk } = await builtLibrary('platform/disk');
const { TelemetryWriter } = await builtLibrary('load/telemetry');
let writer: Writer | undefined;

async function take(message: ToWriter): Promise<FromWriter> {
  if (message !== 'end' && 'directory' in message) {
    writer = await TelemetryWriter.open({ disk: new NodeDisk(), directory: message.directory });
    return 'ready';
  }
  assert(writer !== undefined, 'expected a round to have begun');
  if (message === 'end') {
    const parts = await writer.seal();
    return { bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) };
  }
  await writer.append({ edgeId: `edge-${message.edge}`, instanceId: 'i' }, message.seq, message.bytes);
  return { edge: message.edge };
}

parentPort?.on('message', (message: ToWriter) => {
  void take(message).then((reply) => parentPort?.postMessage(reply));
});
