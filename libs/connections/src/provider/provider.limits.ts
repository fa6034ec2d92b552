/** Providers of one organization. */
export const providersPerOrganizationMax = 200;
