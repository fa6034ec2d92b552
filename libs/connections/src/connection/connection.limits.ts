/** Connections of one organization. */
export const connectionsPerOrganizationMax = 1000;
/** Characters of a secret (rule TE20). */
export const secretCharactersMin = 8;
export const secretCharactersMax = 8192;
/** Bytes in UTF-8 of all values of `headers` together: what is sealed must fit one event. */
export const headerBytesMax = 96 * 1024;
/** Actions that the grants of one connection cover. */
export const coveredActionsMax = 500;
/** Life of a flow of the authorization code kind. */
export const flowMs = 10 * 60_000;
/** After so long without an end another try at the token endpoint may begin. */
export const refreshMs = 60_000;
/** An access token is not used so long before its end (rule TE25). */
export const tokenMarginMs = 60_000;
