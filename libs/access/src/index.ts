export * from './published.js';
export { Organizations, type FirstOrganizationSettings, type MadeOrganization } from './bootstrap/organizations.js';
export { accessUsages } from './operator/access.commands.js';
export { unknownOption, usageText, type OperatorUsage } from './operator/operator-usage.js';
export { rebuildUsages } from './operator/rebuild.commands.js';
export { secretsUsages } from './operator/secrets.commands.js';
export { OperatorSocket, operatorAnswer } from './operator/operator-socket.js';
export { operatorSocketPath, type OperatorAnswer, type OperatorAsk } from './operator/operator-wire.js';
