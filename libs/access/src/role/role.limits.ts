/** Permissions of one role. Ours. */
export const permissionsPerRoleMax = 500;
