export { Moved } from './messages.ts';
export { giveWay, type Parent, serveThread } from './serve-thread.ts';
export { Thread, workerUrl } from './thread.ts';
export { uninterrupted, uninterruptedImport } from './uninterrupted.ts';
