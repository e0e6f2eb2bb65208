export { BoltLimits } from './server/bolt-limits.ts';
export { BoltServer } from './server/bolt-server.ts';
