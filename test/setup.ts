// Nest first: under Jest's ES modules, @willsoto/nestjs-prometheus otherwise meets a require cycle.
import 'reflect-metadata';
import '@nestjs/common';
