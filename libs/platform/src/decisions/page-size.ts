/** What a page of a list holds before it ends early, with more to come; one item alone may be larger. Ours. */
export const pageBytesMax = 8 * 1024 * 1024;
