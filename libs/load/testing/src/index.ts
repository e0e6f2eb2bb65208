export { LIES } from './lies.ts';
export { LyingProxy, type LyingProxyOptions } from './lying-proxy.ts';
