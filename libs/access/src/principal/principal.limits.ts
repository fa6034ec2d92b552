/** Roles of one principal. This service's own limit. */
export const rolesPerPrincipalMax = 100;
