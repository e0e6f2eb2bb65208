export { HaproxySource, type HaproxySourceOptions } from './haproxy-source.ts';
