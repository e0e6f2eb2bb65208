import { HttpException } from '@nestjs/common';

/** 401: the token that a change needs is missing or another. */
export class Unauthorized extends HttpException {
  constructor() {
    super({ error: 'Unauthorized', message: 'missing or invalid token' }, 401);
  }
}
