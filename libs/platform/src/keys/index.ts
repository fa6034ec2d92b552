export { KeyRing, masterKeysIn, newMasterKey } from './key-ring.js';
export type { DerivedKey, KeyPurpose } from './key-ring.js';
export { SealBroken, Sealer } from './sealer.js';
export type { SealedFor } from './sealer.js';
export { CursorSeal, invalidCursor } from './cursor-seal.js';
export type { CursorScope } from './cursor-seal.js';
export { IdentityTokens } from './identity-tokens.js';
export { apiKeyId, apiKeyPrefix, isApiKeyForm, isIssuedApiKeyForm, newApiKey } from './api-key-form.js';
