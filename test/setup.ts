// Nest first: under Jest's ES modules, @willsoto/nestjs-prometheus otherwise meets a require cycle.
import 'reflect-metadata';
import '@nestjs/common';
import fc from 'fast-check';
import { effort } from '../libs/testing/src/effort.ts';

// By default fast-check ends arrays at about ten elements, whatever `maxLength` is. With this setting a
// stated maximum is used, and arrays without one stay small.
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true, numRuns: effort(100, 25) });
