import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { entityId } from '#graph/model';
import { DELIVERY_STATES, type DeliveryState } from '#graph/notify';
import { ApiChoice } from '#platform/http';

export class DeliveryQueryDto {
  @ApiChoice(DELIVERY_STATES)
  @IsOptional()
  @IsIn(DELIVERY_STATES, { message: `state: expected one of ${DELIVERY_STATES.join(', ')}` })
  declare state?: DeliveryState;

  @ApiPropertyOptional({ example: 'ops' })
  @IsOptional()
  @IsString({ message: 'channel: expected one text' })
  declare channel?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 1000, default: 100 })
  @IsOptional()
  @Matches(/^(?:[1-9]\d{0,2}|1000)$/, { message: 'limit: expected a whole number from 1 to 1000' })
  declare limit?: string;
}

/** One finding, rule or run. */
class NoticeDto {
  @ApiProperty({ example: 'host web-02', description: 'The finding, rule or connector by name.' })
  declare label: string;
  @ApiProperty({ type: String, nullable: true }) declare rule_id: string | null;
  @ApiProperty({ type: String, nullable: true }) declare rule: string | null;
  @ApiProperty({ type: String, nullable: true }) declare finding_id: string | null;
  @ApiProperty({ type: String, nullable: true }) declare connector_id: string | null;
  @ApiProperty({ type: String, nullable: true }) declare run_id: string | null;
}

class DeliveryDto {
  @ApiProperty({ description: 'Id of the delivery, the same in every attempt.' }) declare id: string;
  @ApiProperty({ example: 'ops' }) declare channel: string;
  @ApiProperty({ example: 'opened' }) declare event: string;
  @ApiProperty({ format: 'date-time' }) declare at: string;
  @ApiProperty({ description: 'Number of findings, rules or runs that it is about.' }) declare count: number;
  @ApiProperty({ type: [NoticeDto], description: 'The first five of them.' }) declare about: NoticeDto[];
  @ApiProperty({ enum: DELIVERY_STATES }) declare state: DeliveryState;
  @ApiProperty() declare attempts: number;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' }) declare next_at: string | null;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' }) declare ended_at: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Error of the last failed attempt.' })
  declare error: string | null;
}

class ChannelTotalsDto {
  @ApiProperty({ example: 'ops' }) declare channel: string;
  @ApiProperty() declare pending: number;
  @ApiProperty() declare delivered: number;
  @ApiProperty() declare given_up: number;
}

export class DeliveryListDto {
  @ApiProperty({ description: 'Number of matching deliveries.' }) declare count: number;
  @ApiProperty({ type: [String], description: 'Configured channels.', example: ['ops'] })
  declare channels: string[];
  @ApiProperty({ type: [ChannelTotalsDto], description: 'Totals of all deliveries, regardless of filters.' })
  declare totals: ChannelTotalsDto[];
  @ApiProperty({ type: [DeliveryDto] }) declare notifications: DeliveryDto[];
}

const NO_RUN = { connector_id: null, run_id: null };
const MFA = { rule_id: 'mfa-001', rule: 'mfa-001' };

/** The reply after the evaluation of the example rules on the documentation's estate; a test compares it. */
export const DELIVERY_LIST_EXAMPLE: DeliveryListDto = {
  count: 1,
  channels: ['ops'],
  totals: [{ channel: 'ops', pending: 0, delivered: 1, given_up: 0 }],
  notifications: [
    {
      id: 'c47cf4173e41f847938d42d829ad8b00',
      channel: 'ops',
      event: 'opened',
      at: '2026-11-21T06:00:00.000Z',
      count: 3,
      about: [
        {
          label: 'host web-02',
          rule_id: 'edr-coverage-001',
          rule: 'Hosts without EDR',
          finding_id: `edr-coverage-001:${entityId('host', 'web-02')}`,
          ...NO_RUN,
        },
        { label: 'user bob', ...MFA, finding_id: `mfa-001:${entityId('user', 'bob')}`, ...NO_RUN },
        { label: 'user carol', ...MFA, finding_id: `mfa-001:${entityId('user', 'carol')}`, ...NO_RUN },
      ],
      state: 'delivered',
      attempts: 1,
      next_at: null,
      ended_at: '2026-11-21T06:00:00.004Z',
      error: null,
    },
  ],
};
