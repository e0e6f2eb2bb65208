import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Delivery, labelOfChange, Notifications, type NotifiedItem } from '#graph/notify';
import { Requires } from '#platform/auth';
import { ApiErrors } from '#platform/http';
import { DELIVERY_LIST_EXAMPLE, DeliveryListDto, DeliveryQueryDto } from './notification.dto.ts';

const LIMIT_DEFAULT = '100';
const ABOUT_MAX = 5;
const NOTHING = { rule_id: null, rule: null, finding_id: null, connector_id: null, run_id: null };

@ApiTags('notifications')
@Controller('v1/notifications')
export class NotificationsController {
  readonly #notifications: Notifications;

  constructor(@Inject(Notifications) notifications: Notifications) {
    this.#notifications = notifications;
  }

  @Get()
  @Requires('read')
  @ApiOperation({
    operationId: 'listNotifications',
    summary: 'Deliveries of notifications, the newest first: what waits, and the last 1,000 that ended',
  })
  @ApiOkResponse({ type: DeliveryListDto, example: DELIVERY_LIST_EXAMPLE })
  @ApiErrors('INVALID_REQUEST')
  list(@Query() { state, channel, limit = LIMIT_DEFAULT }: DeliveryQueryDto): DeliveryListDto {
    const found = this.#notifications.list({ state, channel });
    return {
      count: found.length,
      channels: [...this.#notifications.channels],
      totals: [...this.#notifications.totals()],
      notifications: found.slice(0, Number(limit)).map(shownDelivery),
    };
  }
}

function shownDelivery({ message, channel, state, attempts, next_at, ended_at, error }: Delivery) {
  const { id, event, at, count, findings } = message;
  const about = findings.slice(0, ABOUT_MAX).map(shownItem);
  return { id, channel, event, at, count, about, state, attempts, next_at, ended_at, error };
}

function shownItem(item: NotifiedItem) {
  if ('change' in item) return { ...NOTHING, label: labelOfChange(item) };
  if ('connector_id' in item) {
    const { connector_id, run_id } = item;
    return { ...NOTHING, label: connector_id, connector_id, run_id };
  }
  const { rule_id, rule } = item;
  if (!('finding_id' in item)) return { ...NOTHING, label: rule, rule_id, rule };
  return { ...NOTHING, label: item.label, rule_id, rule, finding_id: item.finding_id };
}
