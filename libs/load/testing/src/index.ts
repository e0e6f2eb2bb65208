export type { MakeLie } from './lie.ts';
export { LIES } from './lies.ts';
export { LyingProxy } from './lying-proxy.ts';
export { MISHAPS } from './mishaps.ts';
