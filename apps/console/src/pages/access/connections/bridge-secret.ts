/** What the secret of a messaging bridge is for. */
export const secretOfBridge = 'Your bridge checks with it that an answer comes from this service.';
