import { Parser } from 'htmlparser2';

type Attributes = Readonly<Record<string, string>>;

export interface XmlVisitor {
  open?(name: string, attributes: Attributes): void;
  text?(said: string): void;
  close?(name: string): void;
}

const pieceCharacters = 64 * 1024;

/**
 * Walks over XML, names without their prefix. A document type is passed over: no entity that it declares is known, and
 * nothing that it names is fetched.
 */
export function walkXml(xml: string, { open, text, close }: XmlVisitor): void {
  const parser = new Parser(
    {
      onopentag: (name, attributes) => open?.(localName(name), attributes),
      ontext: (said) => text?.(said),
      onclosetag: (name) => close?.(localName(name)),
    },
    { xmlMode: true, decodeEntities: true },
  );
  for (let from = 0; from < xml.length; from += pieceCharacters) parser.write(xml.slice(from, from + pieceCharacters));
  parser.end();
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
