export { Moved } from './messages.ts';
export { type Parent, serveThread, type Serving, type ThreadServer } from './serve-thread.ts';
export { Thread, workerUrl } from './thread.ts';
