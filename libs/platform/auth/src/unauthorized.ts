import { HttpException } from '@nestjs/common';

/** 401: what a request must show is missing or another. Its body has these two fields and no other. */
export class Unauthorized extends HttpException {
  /** `what` must be shown. */
  constructor(what = 'API key') {
    super({ error: 'Unauthorized', message: `missing or invalid ${what}` }, 401);
  }
}
