/** Organization context, UTF-8 bytes (rule R42). */
export const contextBytesMax = 16_384;
/** Organization names are for operators only. This service's own limit. */
export const organizationNameCharactersMax = 128;
/** Origins to which an authorization may lead back (rule TE18). */
export const returnOriginsMax = 20;
/** Characters of such an origin: the longest name of a host with scheme and port. This service's own limit. */
export const returnOriginCharactersMax = 270;
/** Names of billing plans. This service's own limit. */
export const planNameCharactersMax = 64;
