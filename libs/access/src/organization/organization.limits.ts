/** Organization context, UTF-8 bytes (rule R42). */
export const contextBytesMax = 16_384;
/** Organization names are for operators only. This service's own limit. */
export const organizationNameCharactersMax = 128;
/** Names of billing plans. This service's own limit. */
export const planNameCharactersMax = 64;
