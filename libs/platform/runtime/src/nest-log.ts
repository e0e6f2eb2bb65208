import { Injectable } from '@nestjs/common';
import { Logger } from 'nestjs-pino';

/** Nest's own lines, in the program's log; those about modules and routes get level `debug`. */
@Injectable()
export class NestLog extends Logger {
  override log(message: unknown, ...context: unknown[]): void {
    this.debug(message, ...context);
  }
}
