/** Connections of one organization. */
export const connectionsPerOrganizationMax = 1000;
/** Characters of a secret (rule TE20). */
export const secretCharactersMin = 8;
export const secretCharactersMax = 8192;
/** Bytes in UTF-8 of all values of `headers` together: what is sealed must fit one event. */
export const headerBytesMax = 96 * 1024;
/** Actions that the grants of one connection cover. */
export const coveredActionsMax = 500;
/** Live connections of one provider and organization that a choice looks at. */
export const candidatesMax = 200;
