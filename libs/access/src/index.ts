export * from './published.js';
export { Organizations, type FirstOrganizationSettings, type MadeOrganization } from './bootstrap/organizations.js';
