/** The estimate of rule S18, the same for every model: what a text or a media block counts in a model's window. */
export const bytesPerToken = 4;
export const tokensPerMedia = 1000;

export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

export function textTokens(text: string): number {
  return tokensOfBytes(Buffer.byteLength(text));
}
