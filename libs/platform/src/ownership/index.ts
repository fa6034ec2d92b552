export { Membership, risenWeight, sessionOwners } from './membership.js';
export { Owners } from './owners.js';
export { Ownership } from './ownership.js';
