import { strToU8, zipSync, type Zippable } from 'fflate';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { documentKind, type DocumentKind } from './document-kind.js';
import { entriesMax, readingMs, startMs, textBytesMax } from './document.limits.js';
import { DocumentTexts, type DocumentReading } from './document-texts.js';

const clock = new ManualClock();
const texts = new DocumentTexts(clock);
afterAll(() => texts.onApplicationShutdown());

const read = (kind: DocumentKind, bytes: Uint8Array): Promise<DocumentReading> => texts.textOf('org_1', kind, bytes);
const zipped = (parts: Record<string, string>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, strToU8(part)])) as Zippable);
const html = (page: string): Promise<DocumentReading> => read('html', Buffer.from(page));
const paragraphs = (...runs: string[]): string =>
  `<w:document xmlns:w="w"><w:body>${runs.map((run) => `<w:p><w:r><w:t>${run}</w:t></w:r></w:p>`).join('')}</w:body></w:document>`;

describe('TE82: documents as text', () => {
  it('a page gives what is read on it: no scripts, no styles, nothing fetched', async () => {
    const page = `<!doctype html><html><head><title>Prices</title><style>p{}</style><script>var x = "no";</script></head>
      <body><h1>Price   list</h1><p>One <b>bold</b>&amp;<i>slanted</i><br>line</p><ul><li>first</li><li>second</li></ul>
      <table><tr><th>Name</th><th>Price</th></tr><tr><td>Tea</td><td>3 &euro;</td></tr></table>
      <pre>a  b\n c</pre><img src="http://10.0.0.1/x" alt="a chart"><iframe src="http://10.0.0.1/">inside</iframe></body></html>`;
    expect(await html(page)).toEqual({
      text: [
        'Prices',
        'Price list',
        'One bold&slanted',
        'line',
        '- first',
        '- second',
        'Name\tPrice\t',
        'Tea\t3 €\t',
        'a  b',
        ' c',
        '[a chart]',
      ].join('\n'),
    });
  });

  it('a Word file gives its paragraphs, tables and notes, and neither macros nor fields', async () => {
    const body = `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Dear </w:t><w:t>reader</w:t></w:r></w:p>
      <w:p><w:r><w:instrText>INCLUDETEXT "http://10.0.0.1/x"</w:instrText><w:delText>gone</w:delText><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r></w:p>
      <w:tbl><w:tr><w:tc><w:p><w:r><w:t>Tea</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>3</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>`;
    const file = zipped({
      'word/document.xml': body,
      'word/footnotes.xml': '<w:footnotes xmlns:w="w"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnotes>',
      'word/vbaProject.bin': 'Shell("rm -rf /")',
      'word/_rels/document.xml.rels':
        '<Relationships><Relationship Target="http://10.0.0.1/" TargetMode="External"/></Relationships>',
    });
    expect(await read('docx', file)).toEqual({ text: 'Dear reader\na\tb\nTea \t3 \t\nA note.' });
  });

  it('a Word file may number its parts, as Word in a browser does', async () => {
    const file = zipped({
      'word/endnotes2.xml': paragraphs('An end.'),
      'word/footnotes2.xml': paragraphs('A note.'),
      'word/document2.xml': paragraphs('Dear reader'),
      'word/glossary/document.xml': paragraphs('no text of it'),
    });
    expect(await read('docx', file)).toEqual({ text: 'Dear reader\nA note.\nAn end.' });
  });

  it('a text box is given once: what Word keeps of it for older programs is not text', async () => {
    const box = (text: string) => `<w:txbxContent><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:txbxContent>`;
    const alternate = (text: string) =>
      `<mc:AlternateContent><mc:Choice Requires="wps">${box(text)}</mc:Choice>` +
      `<mc:Fallback><w:pict>${box(text)}</w:pict></mc:Fallback></mc:AlternateContent>`;
    const body = `<w:document xmlns:w="w" xmlns:mc="mc"><w:body><w:p><w:r>${alternate('In a box')}</w:r></w:p>
      <w:p><w:r><w:t>Behind it</w:t></w:r></w:p></w:body></w:document>`;
    const { text = '' } = (await read('docx', zipped({ 'word/document.xml': body }))) as { text?: string };
    expect(text.split('\n').filter((line) => line !== '')).toEqual(['In a box', 'Behind it']);
  });

  it('the tab stops of a paragraph are no tabs in its text', async () => {
    const tabStops = '<w:pPr><w:tabs><w:tab w:val="left" w:pos="720"/><w:tab w:pos="9062"/></w:tabs></w:pPr>';
    const line = `<w:p>${tabStops}<w:r><w:t>1.</w:t><w:tab/><w:t>Prices</w:t></w:r></w:p>`;
    const body = `<w:document xmlns:w="w"><w:body>${line}${line}</w:body></w:document>`;
    expect(await read('docx', zipped({ 'word/document.xml': body }))).toEqual({ text: '1.\tPrices\n1.\tPrices' });
    const stops = '<a:pPr><a:tabLst><a:tab pos="914400" algn="l"/></a:tabLst></a:pPr>';
    const slide = `<p:sld xmlns:a="a"><a:p>${stops}<a:r><a:t>Tea</a:t></a:r></a:p></p:sld>`;
    expect(await read('pptx', zipped({ 'ppt/slides/slide1.xml': slide }))).toEqual({ text: 'Slide 1\nTea' });
  });

  it('a workbook gives its sheets by their names, cells in their columns, formulas as values', async () => {
    const file = zipped({
      'xl/workbook.xml':
        '<workbook xmlns:r="r"><sheets><sheet name="Costs" r:id="rId2"/><sheet name="Rest" r:id="rId1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="rId1" Target="worksheets/sheet2.xml"/><Relationship Id="rId2" Target="worksheets/sheet1.xml"/></Relationships>',
      'xl/sharedStrings.xml':
        '<sst><si><t>Item</t></si><si><r><t>T</t></r><r><t>ea</t></r><rPh><t>no</t></rPh></si></sst>',
      'xl/worksheets/sheet1.xml':
        '<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Price</t></is></c></row>' +
        '<row><c r="A2" t="s"><v>1</v></c><c r="C2"><f>WEBSERVICE("http://10.0.0.1")</f><v>3.5</v></c></row></sheetData></worksheet>',
      'xl/worksheets/sheet2.xml': '<worksheet><sheetData><row><c r="B1"><v>1</v></c></row></sheetData></worksheet>',
    });
    expect(await read('xlsx', file)).toEqual({ text: 'Costs\nItem\t\tPrice\nTea\t\t3.5\nRest\n\t1' });
  });

  it('a presentation gives its slides in their order, and the notes', async () => {
    const slide = (text: string) => `<p:sld xmlns:a="a"><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`;
    const file = zipped({
      'ppt/slides/slide10.xml': slide('last'),
      'ppt/slides/slide2.xml': slide('first'),
      'ppt/notesSlides/notesSlide1.xml': slide('say hello'),
    });
    expect(await read('pptx', file)).toEqual({ text: 'Slide 2\nfirst\nSlide 10\nlast\nNotes 1\nsay hello' });
  });

  it('no entity that a file declares is known, and none is fetched', async () => {
    const laughs = Array.from(
      { length: 9 },
      (_none, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
    ).join('');
    const types = `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY l0 "lol">${laughs}<!ENTITY x SYSTEM "file:///etc/passwd">]>`;
    const reading = await read('docx', zipped({ 'word/document.xml': types + paragraphs('a&l9;b&x;c&amp;d') }));
    expect(reading).toEqual({ text: 'a&l9;b&x;c&d' });
  });

  it('what is no such file, is damaged, or has too much in it is not read, and says why', async () => {
    const failure = async (kind: DocumentKind, bytes: Uint8Array) =>
      ((await read(kind, bytes)) as { failure?: string }).failure;
    expect(await failure('docx', Buffer.from('PK no'))).toBe('it is damaged');
    expect(await failure('docx', zipped({ 'a.txt': 'x' }))).toBe('it is no Word file');
    expect(await failure('xlsx', zipped({ 'a.txt': 'x' }))).toBe('it is no workbook');
    expect(await failure('pptx', zipped({ 'a.txt': 'x' }))).toBe('it is no presentation');
    const crowd = Object.fromEntries(Array.from({ length: entriesMax + 1 }, (_none, index) => [`e${index}`, '']));
    expect(await failure('docx', zipped(crowd))).toContain('entries');
    const bomb = zipSync({ 'word/document.xml': new Uint8Array(65 * 1024 * 1024) });
    expect(bomb.length).toBeLessThan(100_000);
    expect(await failure('docx', bomb)).toContain('inflates to over');
  });

  it('a part that inflates to more than it declares is cut there', async () => {
    const file = Buffer.from(zipped({ 'word/document.xml': paragraphs('x'.repeat(1_000_000)) }));
    const declared = paragraphs('x'.repeat(1_000_000)).length;
    for (let at = 0; at + 4 <= file.length; at += 1)
      if (file.readUInt32LE(at) === declared) file.writeUInt32LE(200, at);
    const reading = (await read('docx', file)) as { text?: string; failure?: string };
    expect((reading.text ?? '').length).toBeLessThan(200);
  });

  it('over 1 MiB of text it is cut, and says so', async () => {
    const reading = (await html(`<p>${'ü'.repeat(textBytesMax)}</p>`)) as { text: string };
    expect(Buffer.byteLength(reading.text)).toBeLessThanOrEqual(textBytesMax);
    expect(reading.text.endsWith('ü\n[cut: the document goes on]')).toBe(true);
  });

  it('a document that takes too long ends its thread and nothing else', async () => {
    const late = read('html', Buffer.from('<p>x</p>'));
    clock.advance(startMs);
    expect(await late).toMatchObject({ failure: expect.stringContaining('does not start') as string });
    const deep = zipped({ 'word/document.xml': '<a>'.repeat(2_000_000) });
    const slow = read('docx', deep);
    await eventually('the thread reads', () => clock.nextTimerAt === clock.monotonic() + readingMs);
    clock.advance(readingMs);
    expect(await slow).toMatchObject({ failure: expect.stringContaining('longer than 5 s') as string });
    expect(await html('<p>still here</p>')).toEqual({ text: 'still here' });
  });

  it('a document that grows past 128 MiB ends its thread, and neither the process nor what is read beside it', async () => {
    const strings = `<si><t>${'&lt;'.repeat(1_000_000)}</t></si>`.repeat(12);
    const grows = zipped({ 'xl/worksheets/sheet1.xml': '<worksheet/>', 'xl/sharedStrings.xml': strings });
    const [large, beside] = await Promise.all([read('xlsx', grows), html('<p>beside it</p>')]);
    expect([large, beside]).toEqual([{ failure: 'it takes over 128 MiB to read' }, { text: 'beside it' }]);
    expect(await html('<p>still here</p>')).toEqual({ text: 'still here' });
  });

  it('nothing of a document asks for so much memory at once that the process would end with the thread', async () => {
    const failure = async (xml: string) =>
      ((await read('docx', zipped({ 'word/document.xml': xml }))) as { failure?: string }).failure;
    const names = Array.from({ length: 100_000 }, (_none, index) => `a${index}=""`);
    expect(await failure(`<a ${names.join(' ')}/>`)).toBe('a tag of it has over 1000 attributes');
    const long = `\u20ac${'a'.repeat(6 * 1024 * 1024)}`;
    for (const token of [
      `<${long}/>`,
      `<a b="${long}"/>`,
      `<!--${long}-->`,
      `<![CDATA[${long}]]>`,
      `<!DOCTYPE ${long}>`,
    ])
      expect(await failure(token)).toBe('a tag of it is too long');
    const cell = '<row><c t="s"><v>0</v></c></row>';
    const whole = await read(
      'xlsx',
      zipped({ 'xl/worksheets/sheet1.xml': cell, 'xl/sharedStrings.xml': `<si><t>${long}</t></si>` }),
    );
    expect((whole as { text: string }).text.endsWith('a\n[cut: the document goes on]')).toBe(true);
  });

  it('organizations take turns: one that sends many delays another by two documents', async () => {
    const ended: string[] = [];
    const page = Buffer.from('<p>x</p>');
    const one = (orgId: string) => texts.textOf(orgId, 'html', page).then(() => ended.push(orgId));
    const many = Array.from({ length: 12 }, () => one('org_many'));
    const few = one('org_few');
    await Promise.all([...many, few]);
    expect(ended.indexOf('org_few')).toBeLessThan(6);
  });

  it('what waits is bounded, and is told when the service stops', async () => {
    const own = new DocumentTexts(clock);
    const page = Buffer.from('<p>x</p>');
    const all = Array.from({ length: 110 }, () => own.textOf('org_flood', 'html', page));
    await own.onApplicationShutdown();
    const failures = (await Promise.all(all)).map((reading) => ('failure' in reading ? reading.failure : ''));
    const count = (failure: string) => failures.filter((each) => each === failure).length;
    expect([count('too many documents wait to be read'), count('the service stops')]).toEqual([8, 100]);
  });

  it('what waits is bounded by its bytes too: of one organization, and of all', async () => {
    const own = new DocumentTexts(clock);
    const large = Buffer.alloc(10 * 1024 * 1024, ' ');
    const sent = (orgId: string) => Array.from({ length: 9 }, () => own.textOf(orgId, 'html', large));
    const one = sent('org_flood'); // two of them are read at once
    const others = Array.from({ length: 5 }, (_none, n) => sent(`org_${n}`));
    await own.onApplicationShutdown();
    const waited = async (all: Promise<DocumentReading>[]) =>
      (await Promise.all(all)).filter((reading) => 'failure' in reading && reading.failure === 'the service stops')
        .length;
    expect(await waited(one)).toBe(6);
    expect(await Promise.all(others.map(waited))).toEqual([6, 6, 6, 1, 0]);
  });

  it('types with parameters and in capitals have their kind, others none', () => {
    expect(documentKind('Text/HTML; charset=utf-8')).toBe('html');
    expect(documentKind('application/vnd.openxmlformats-officedocument.wordprocessingml.document')).toBe('docx');
    for (const type of ['text/plain', 'application/pdf', 'application/msword', 'constructor', ''])
      expect(documentKind(type)).toBeNull();
  });
});
