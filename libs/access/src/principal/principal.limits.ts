/** Roles of one principal. Ours. */
export const rolesPerPrincipalMax = 100;
