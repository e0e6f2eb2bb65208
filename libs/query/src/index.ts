export type { Adjacency, ByteSink, GraphReader, LinkBuffer } from './graph-reader.port.ts';
