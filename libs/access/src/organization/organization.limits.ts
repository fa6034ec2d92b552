/** Organization context, UTF-8 bytes (rule R42). */
export const contextBytesMax = 16_384;
/** Organization names are for operators only. Ours. */
export const organizationNameCharactersMax = 128;
/** Names of billing plans. Ours. */
export const planNameCharactersMax = 64;
