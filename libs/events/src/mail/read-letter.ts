import PostalMime, { addressParser, type Address, type Email } from 'postal-mime';

/** A mail with all that its `From` names: the parser itself gives the first one. */
export type Letter = Email & { senders: Address[] };

/** Rejects for a mail that has no form of MIME. */
export async function readLetter(bytes: Uint8Array): Promise<Letter> {
  const letter = await PostalMime.parse(bytes);
  const senders = letter.headers.filter(({ key }) => key === 'from').flatMap(({ value }) => addressParser(value));
  return { ...letter, senders };
}
