/** Logs the requested number of lines, reports on standard output when it is done, and ends on request. */
import { once } from 'node:events';
import { createLogger } from '../src/logging/create-logger.ts';
import { createLineLog } from '../src/logging/line-log.ts';

const [format, count] = process.argv.slice(2);
const options = { format: format === 'json' ? 'json' : 'text', level: 'info' } as const;
const logger = createLogger(options);
const lines = createLineLog(options);
for (let line = 1; line <= Number(count); line++) {
  logger.info({ event: 'test.line', line }, 'a line of the log');
  lines?.write('a line of many', `"event":"test.many","line":${line}`);
  if (line % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
}
process.stdout.write('done\n');
await once(process.stdin, 'data');
process.stdin.destroy();
logger.info({ event: 'test.last' }, 'the last line');
