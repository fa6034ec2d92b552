/** Permissions of one role. This service's own limit. */
export const permissionsPerRoleMax = 500;
