/** What the secret of a web hook is for. */
export const secretOfWebhook =
  'Your endpoint checks with it that an event comes from this service. A new one is made when it is rotated.';
