/** What tests of other contexts may use. */
export { resourceServices } from './resource-services.fixture.js';
