import { Parser } from 'htmlparser2';
import { attributesMax, tokenCharactersMax } from './document.limits.js';
import { DocumentFault } from './office-parts.js';

type Attributes = Readonly<Record<string, string>>;

export interface XmlVisitor {
  open?(name: string, attributes: Attributes): void;
  text?(said: string): void;
  close?(name: string): void;
}

const pieceBytes = 64 * 1024;

/**
 * Walks over XML, names without their prefix. A document type is passed over: no entity that it declares is known, and
 * nothing that it names is fetched. Nothing here takes much memory at once: a thread that is asked for more than it may
 * have in one go takes the whole process with it.
 *
 * Refuses  `DocumentFault` for a tag with over 1,000 attributes, and for a tag, comment or other token over 4 Mi
 *          characters.
 */
export function walkXml(xml: Uint8Array | undefined, { open, text, close }: XmlVisitor): void {
  if (!xml) return;
  let attributes = 0;
  let pending = 0;
  const progress = (): void => {
    pending = 0;
  };
  const parser = new Parser(
    {
      onopentagname() {
        attributes = 0;
        pending = 0;
      },
      onattribute() {
        pending = 0;
        attributes += 1;
        if (attributes > attributesMax) throw new DocumentFault(`a tag of it has over ${attributesMax} attributes`);
      },
      onopentag: (name, given) => open?.(localName(name), given),
      ontext(said) {
        pending = 0;
        text?.(said);
      },
      onclosetag(name) {
        pending = 0;
        close?.(localName(name));
      },
      oncomment: progress,
      onprocessinginstruction: progress,
    },
    { xmlMode: true, decodeEntities: true },
  );
  const decoder = new TextDecoder();
  for (let from = 0; from < xml.length; from += pieceBytes) {
    const piece = decoder.decode(xml.subarray(from, from + pieceBytes), { stream: true });
    pending += piece.length;
    parser.write(piece);
    if (pending > tokenCharactersMax) throw new DocumentFault('a tag of it is too long');
  }
  parser.end(decoder.decode());
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
