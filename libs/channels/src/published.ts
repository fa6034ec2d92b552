export { ChannelAdministrationModule } from './administration.module.js';
