import { ApiProperty } from '@nestjs/swagger';

/** Who uses the page, and how to sign in. */
export class PageSessionDto {
  @ApiProperty({ description: 'Where a page sends its user to sign in.', example: '/v1/sign-in' })
  readonly sign_in!: string;

  @ApiProperty({ required: false, description: 'Who is signed in, as in the audit.', example: 'oidc:alice' })
  readonly name?: string | undefined;

  @ApiProperty({ required: false, type: [String], description: 'What that may do.', example: ['read'] })
  readonly permissions?: readonly string[] | undefined;

  @ApiProperty({
    required: false,
    format: 'date-time',
    description: 'When the session ends if it is not used.',
    example: '2026-11-27T12:30:00.000Z',
  })
  readonly ends_at?: string | undefined;
}
