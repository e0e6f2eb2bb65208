export { HaproxySource } from './haproxy-source.ts';
