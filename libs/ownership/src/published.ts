/** What other contexts may use of ownership: nothing. */
export {};
