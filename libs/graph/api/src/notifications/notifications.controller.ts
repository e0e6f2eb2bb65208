import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Delivery, Notifications } from '#graph/notify';
import { ApiErrors } from '#platform/http';
import { DeliveryListDto, DeliveryQueryDto } from './notification.dto.ts';

const LIMIT_DEFAULT = '100';

@ApiTags('notifications')
@Controller('v1/notifications')
export class NotificationsController {
  readonly #notifications: Notifications;

  constructor(@Inject(Notifications) notifications: Notifications) {
    this.#notifications = notifications;
  }

  @Get()
  @ApiOperation({
    operationId: 'listNotifications',
    summary: 'Deliveries of notifications, the newest first: what waits, and the last 1,000 that ended',
  })
  @ApiOkResponse({ type: DeliveryListDto })
  @ApiErrors('INVALID_REQUEST')
  list(@Query() { state, channel, limit = LIMIT_DEFAULT }: DeliveryQueryDto): DeliveryListDto {
    const found = this.#notifications.list({ state, channel });
    return {
      count: found.length,
      channels: [...this.#notifications.channels],
      notifications: found.slice(0, Number(limit)).map(shownDelivery),
    };
  }
}

function shownDelivery({ message, channel, state, attempts, next_at, ended_at, error }: Delivery) {
  const { id, event, at, count } = message;
  return { id, channel, event, at, count, state, attempts, next_at, ended_at, error };
}
