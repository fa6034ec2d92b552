export { signedHeaders, type SignedDelivery } from './signed-headers.js';
