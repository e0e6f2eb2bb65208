export { LIES } from './lies.ts';
export { LyingProxy } from './lying-proxy.ts';
