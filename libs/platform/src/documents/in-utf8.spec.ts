import { inUtf8 } from './in-utf8.js';

const read = (mediaType: string, bytes: Buffer): string => Buffer.from(inUtf8(mediaType, bytes)).toString('utf8');

describe('TE82: the charset of a text', () => {
  it.each([
    ['utf-16le', Buffer.from('\ufeffGröße', 'utf16le')],
    ['utf-16be', Buffer.from('\ufeffGröße', 'utf16le').swap16()],
    ['utf-8', Buffer.from('\ufeffGröße')],
  ])('is that of its mark, also against its type: %s', (_name, bytes) => {
    expect(read('text/plain; charset=iso-8859-1', bytes)).toBe('Größe');
  });

  it('is that of its media type, else the one that a page or an XML document names', () => {
    const said = '<meta charset=utf-8><p>ü</p>';
    expect(read('text/html; Charset="ISO-8859-1"', Buffer.from(said, 'latin1'))).toBe(said);
    const named = '<?xml version="1.0" encoding=\'iso-8859-1\'?><a>ü</a>';
    for (const type of ['text/xml', 'application/xml', 'image/svg+xml', 'application/xhtml+xml'])
      expect(read(type, Buffer.from(named, 'latin1'))).toBe(named);
    const page = '<head><META http-equiv="Content-Type" content="text/html; charset=windows-1252"></head>€';
    expect(read('text/html', Buffer.concat([Buffer.from(page.slice(0, -1)), Buffer.from([0x80])]))).toBe(page);
  });

  it('is UTF-8 where none is named that there is, and bytes in UTF-8 are given as they are', () => {
    for (const type of ['text/plain', 'text/plain; charset=none-such', 'text/plain; charset=utf-8', 'text/html']) {
      const bytes = Buffer.from('<meta charset="utf-16">ü');
      expect(inUtf8(type, bytes)).toBe(bytes);
    }
    expect(read('text/plain', Buffer.from('<meta charset="iso-8859-1">ü'))).toBe('<meta charset="iso-8859-1">ü');
  });
});
