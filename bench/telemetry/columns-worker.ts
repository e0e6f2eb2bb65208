/** The product's own writer, on its thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { builtLibrary } from '../targets/built-library.ts';
import type { FromWriter, ToWriter, WriterSetup } from './writer-protocol.ts';

const { directory, compression } = workerData as WriterSetup;
const { NodeDisk } = await builtLibrary('disk');
const { TelemetryWriter } = await builtLibrary('telemetry');
const writer = await TelemetryWriter.open({ disk: new NodeDisk(), directory, compression });

function tell(message: FromWriter): void {
  parentPort?.postMessage(message);
}

async function take(message: ToWriter): Promise<void> {
  if (message === 'end') {
    const parts = await writer.seal();
    tell({ bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) });
    return;
  }
  await writer.take({ edgeId: `edge-${message.edge}`, instanceId: 'i' }, message.seq, message.bytes);
  tell({ edge: message.edge });
}

parentPort?.on('message', (message: ToWriter) => void take(message));
tell('ready');
