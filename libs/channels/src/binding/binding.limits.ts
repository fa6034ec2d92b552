/** Bindings of one agent. Ours. */
export const bindingsPerAgentMax = 100;
/** Entries of `channels`, and of `sender_allow`. Ours. */
export const listedMax = 1000;
/** Characters of one entry, and of `integration_id`: what an inbound message can name. */
export const listedCharactersMax = 255;
