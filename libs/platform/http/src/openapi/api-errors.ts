import { applyDecorators } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { ERROR_CATALOGUE, type ErrorCode } from '#platform/foundation';
import { ERROR_EXAMPLES } from './error-examples.ts';

/** The shape of every error. */
export class ErrorDto {
  @ApiProperty({
    description: 'Error code in capitals; a 401 has `Unauthorized`.',
    example: 'NOT_FOUND',
  })
  declare error: string;

  @ApiProperty({ example: 'no entity has this id' })
  declare message: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'Further facts, which depend on the code.',
  })
  declare details?: object;

  @ApiPropertyOptional({ example: '0b7e6c1e-7d7a-4c57-9a57-0f2d7c4c4f5e' })
  declare request_id?: string;
}

/** Documents the errors of a handler; the 401 is documented for all handlers. */
export function ApiErrors(...codes: readonly ErrorCode[]): MethodDecorator {
  const codesByStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const status = ERROR_CATALOGUE[code].httpStatus;
    codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code]);
  }
  const responses = [...codesByStatus].map(([status, own]) =>
    // Named here: an error is JSON whatever the handler produces.
    ApiResponse({
      status,
      description: own.join(', '),
      content: {
        'application/json': { schema: { $ref: getSchemaPath(ErrorDto) }, examples: examplesOf(own) },
      },
    }),
  );
  return applyDecorators(ApiExtraModels(ErrorDto), ...responses);
}

function examplesOf(codes: readonly ErrorCode[]): Record<string, { summary: string; value: ErrorDto }> {
  return Object.fromEntries(
    codes.map((code) => [code, { summary: code, value: { error: code, ...ERROR_EXAMPLES[code] } }]),
  );
}
