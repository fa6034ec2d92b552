export { headerPrefix, signedHeaders, type SignedDelivery } from './signed-headers.js';
export { webhookHeaders, type WebhookDelivery } from './webhook-headers.js';
