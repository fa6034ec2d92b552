/** A secret without the blanks around it, which HTTP strips from a header: what an endpoint reads. */
export function bareSecret(secret: string): string {
  return secret.replace(/^[ \t]+|[ \t]+$/g, '');
}
