import { HttpException, NotFoundException } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { DomainError, ERROR_CATALOGUE, type ErrorCode } from '#platform/foundation';
import { errorReply } from './error-reply.ts';

const CODES = Object.keys(ERROR_CATALOGUE) as ErrorCode[];
const isMessageShown = (code: ErrorCode) =>
  ERROR_CATALOGUE[code].httpStatus !== 500 || 'isMessageShown' in ERROR_CATALOGUE[code];

describe('errorReply', () => {
  it.each(CODES.filter(isMessageShown))('answers %s with its status', (code) => {
    const reply = errorReply(new DomainError(code, 'what was expected', { details: { a: 1 } }), 'r1');

    expect(reply).toEqual({
      status: ERROR_CATALOGUE[code].httpStatus,
      body: { error: code, message: 'what was expected', details: { a: 1 }, request_id: 'r1' },
      isDefect: false,
    });
  });

  it.each([new Error('secret path /etc'), 'thrown text', null, new DomainError('STORE_CORRUPT', '/data/x')])(
    'hides unexpected errors',
    (error) => {
      const reply = errorReply(error, 'r1');

      expect(reply).toEqual({
        status: 500,
        body: { error: 'INTERNAL_ERROR', message: 'internal error', request_id: 'r1' },
        isDefect: true,
      });
    },
  );

  it('passes on a finished error body', () => {
    const body = { error: 'Unauthorized', message: 'missing or invalid API key' };

    expect(errorReply(new HttpException(body, 401), 'r1')).toEqual({ status: 401, body, isDefect: false });
  });

  it('replaces the messages of the framework’s errors', () => {
    const large = Object.assign(new Error('FST'), { statusCode: 413, code: 'FST_ERR_CTP_BODY_TOO_LARGE' });

    expect(errorReply(new NotFoundException('Cannot GET /x'), 'r').body.message).toBe('no such path');
    expect(errorReply(Object.assign(new Error('FST'), { statusCode: 415 }), 'r').body.message).toBe(
      'Content-Type: expected application/json',
    );
    expect(errorReply(large, 'r')).toMatchObject({ status: 413, body: { error: 'BODY_TOO_LARGE' } });
  });
});
