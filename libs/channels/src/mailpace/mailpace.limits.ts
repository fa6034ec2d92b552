export const hourMs = 3_600_000;
/** Mails of one sender that an inbox answers within an hour (rule TE16). */
export const perSenderMax = 20;
/** Mails that an inbox answers within an hour (rule TE16). */
export const perBindingMax = 200;
