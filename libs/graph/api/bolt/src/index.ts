export { BoltLimits } from './server/bolt-limits.ts';
export { BoltServer, type BoltTls } from './server/bolt-server.ts';
