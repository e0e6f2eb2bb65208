export { createChannel } from './channel/create-channel.ts';
export { NotificationConfig } from './config/notification-config.ts';
export { readNotifications } from './config/read-notifications.ts';
export { Notifications, sendTest } from './delivery/notifications.ts';
export { type Delivery, DELIVERY_STATES, type DeliveryState } from './outbox/delivery.ts';
export { labelOfChange } from './channel/message-text.ts';
export type { NotifiedItem } from './outbox/message.ts';
export { NotifySettings } from './notify-settings.ts';
export { NOTIFY_DOCUMENTS } from './outbox/message-documents.ts';
