import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentOf } from '../../../../runtime/gateway/inspection/content.ts';
import { Inspector } from '../../../../runtime/gateway/inspection/inspector.ts';
import { zipOf } from '../../../supervisor/egress/archives.ts';
import { containing } from '../../../tools/matchers.ts';
import {
  accepted,
  images,
  kinds,
  link,
  packageOf,
  parquet,
  pdfOf,
  pngOf,
  programs,
  streamOf,
  text,
} from './documents.ts';

const { signal } = new AbortController();
let inspector: Inspector;
beforeAll(() => {
  inspector = new Inspector();
});
afterAll(() => inspector[Symbol.asyncDispose]());

const inspect = (name: string, bytes: Uint8Array, mime = '') =>
  inspector.inspect({ name, mime }, contentOf(bytes), { signal });

// proves: attachments.types
test.each(accepted)(
  '%s is accepted as %s, with its type or with its name alone',
  async (...row) => {
    const [name, mime, bytes] = row;
    expect(await inspect(name, bytes, mime)).toMatchObject({ mime });
    expect(await inspect(name, bytes)).toMatchObject({ mime });
    expect(await inspect(name, bytes, 'application/octet-stream')).toMatchObject({ mime });
  },
);

const macro = text('word/vbaProject.bin', 'code');
const vba = 'application/vnd.ms-office.vbaProject';
const ole = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const remote = (kind: string) => link(kind, 'https://evil.example/x.dotm', 'External');
const zip = zipOf([text('a.txt', 'hello')]);

const packages: Readonly<Record<string, readonly [string, Buffer]>> = {
  'a macro document renamed .docx': [
    'macros',
    packageOf({ main: 'application/vnd.ms-word.document.macroEnabled.main+xml' }),
  ],
  'a document with a macro part': ['macros', packageOf({ members: [macro] })],
  'a macro part under another name': [
    'macros',
    packageOf({
      types: `<Override PartName="/word/harmless.xml" ContentType="${vba}"/>`,
      members: [text('word/harmless.xml', 'code')],
    }),
  ],
  'a relationship to a macro': ['macros', packageOf({ links: link('vbaProject', 'x.xml') })],
  'a macro in an embedded object': [
    'macros',
    packageOf({
      members: [
        {
          name: 'word/embeddings/oleObject1.bin',
          bytes: Buffer.concat([ole, Buffer.from('_VBA_PROJECT', 'utf16le')]),
        },
      ],
    }),
  ],
  'a macro in an embedded workbook': [
    'macros',
    packageOf({
      members: [
        {
          name: 'word/embeddings/sheet.xlsx',
          bytes: packageOf({ kind: 'xlsx', members: [macro] }),
        },
      ],
    }),
  ],
  'an embedded file': [
    'active_content',
    packageOf({
      members: [
        {
          name: 'word/embeddings/oleObject1.bin',
          bytes: Buffer.concat([ole, Buffer.from('\x01Ole10Native', 'utf16le')]),
        },
      ],
    }),
  ],
  'a template from elsewhere': [
    'external_content',
    packageOf({ links: remote('attachedTemplate') }),
  ],
  'an object from a share': [
    'external_content',
    packageOf({ links: link('oleObject', '\\\\evil\\share', 'External') }),
  ],
  'a part outside of the package': [
    'unsafe_names',
    packageOf({ links: link('image', '../../../etc/passwd') }),
  ],
  'more than 2,000 entries': [
    'too_complex',
    packageOf({ members: Array.from({ length: 2_001 }, (_, at) => text(`word/${at}.xml`, '')) }),
  ],
  'a thousand times its size': [
    'too_complex',
    packageOf({ members: [{ name: 'word/media/a.xml', bytes: Buffer.alloc(30e6) }] }),
  ],
  'more than its directory says': [
    'malformed',
    packageOf({ members: [{ name: 'word/a.xml', bytes: Buffer.alloc(1e6), said: 10 }] }),
  ],
  'an archive within': [
    'nested_archive',
    packageOf({ members: [{ name: 'word/media/a.zip', bytes: zip }] }),
  ],
  'an archive named as an image': [
    'nested_archive',
    packageOf({ members: [{ name: 'word/media/a.png', bytes: zip }] }),
  ],
  'an archive named as a workbook': [
    'nested_archive',
    packageOf({ members: [{ name: 'word/embeddings/a.xlsx', bytes: zip }] }),
  ],
  'two entries of one name': [
    'unsafe_names',
    packageOf({ members: [text('word/A.xml', 'x'), text('word/a.xml', 'y')] }),
  ],
  'an entry with two names': [
    'unsafe_names',
    packageOf({ members: [{ ...text('word/a.xml', 'x'), inner: 'word/b.xml' }] }),
  ],
  'a name that leads out': ['unsafe_names', packageOf({ members: [text('../../a.xml', 'x')] })],
  'an absolute name': ['unsafe_names', packageOf({ members: [text('/etc/cron.d/a', 'x')] })],
  'a document type in an index': [
    'malformed',
    packageOf({
      members: [text('word/_rels/a.xml.rels', '<!DOCTYPE Relationships><Relationships/>')],
    }),
  ],
  'a main part of another kind': ['unsupported_type', packageOf({ main: 'application/xml' })],
  'no index at all': ['archive', zip],
  'its second half only on paper': ['malformed', packageOf().subarray(0, 600)],
};

// proves: attachments.packages
test.each(Object.entries(packages))('an Office document with %s is refused', async (_, row) => {
  const [reason, bytes] = row;
  expect(await inspect('a.docx', bytes, kinds.docx.mime)).toMatchObject({ reason });
});

// proves: attachments.packages
test.each([
  ['a link', link('hyperlink', 'https://example.com/', 'External')],
  [
    'a template of its author',
    link('attachedTemplate', 'file:///C:\\Users\\a\\t.dotx', 'External'),
  ],
  ['another workbook', link('externalLinkPath', 'file:///S:/numbers.xlsx', 'External')],
  ['a part by its whole path', link('image', '/word/document.xml')],
])('an Office document that refers to %s is accepted', async (_, links) => {
  const { mime } = kinds.docx;
  expect(await inspect('a.docx', packageOf({ links }))).toEqual({ mime });
});

// proves: attachments.packages
test('a document may embed another one, as charts embed their numbers', async () => {
  const bytes = packageOf({ kind: 'xlsx' });
  const members = [{ name: 'ppt/embeddings/sheet1.xlsx', bytes }];
  const { mime } = kinds.pptx;
  expect(await inspect('a.pptx', packageOf({ kind: 'pptx', members }))).toEqual({ mime });
});

const pdf = pdfOf({ pages: 3 });
const script = '<</S/JavaScript/JS(app.alert\\(1\\))>>';
const pdfs: Readonly<Record<string, readonly [string, Buffer]>> = {
  '600 pages': ['too_many_pages', pdfOf({ pages: 600 })],
  'a password': ['encrypted', pdfOf({ trailer: '/Encrypt 9 0 R' })],
  'a script when it opens': ['active_content', pdfOf({ catalog: `/OpenAction${script}` })],
  'a script under an escaped name': ['active_content', pdfOf({ objects: ['<</#4aS(1)>>'] })],
  'a script in a packed object': [
    'active_content',
    pdfOf({ objects: [streamOf('/Type/ObjStm/N 1/First 5', Buffer.from(`90 0 ${script}`))] }),
  ],
  'a program to start': ['active_content', pdfOf({ catalog: '/OpenAction<</S/Launch/F(a)>>' })],
  'its end missing': ['truncated', pdf.subarray(0, -40)],
  'half of it missing': ['truncated', pdf.subarray(0, pdf.length / 2)],
  'an object that cannot be read': ['malformed', pdfOf({ objects: ['<</A (open>>'] })],
  'no page': ['malformed', pdfOf({ pages: 0 })],
  'six updates': ['too_complex', Buffer.concat(Array.from({ length: 7 }, () => pdf))],
  'streams that declare too much': [
    'too_complex',
    pdfOf({ objects: ['<</Length 200000000>>\nstream\nendstream'] }),
  ],
  'too many packed objects': [
    'too_complex',
    pdfOf({
      objects: Array.from({ length: 2_001 }, () =>
        streamOf('/Type/ObjStm/N 0/First 0', Buffer.alloc(0)),
      ),
    }),
  ],
};

// proves: attachments.pdf
test.each(Object.entries(pdfs))('a PDF with %s is refused', async (_, [reason, bytes]) => {
  expect(await inspect('a.pdf', bytes, 'application/pdf')).toMatchObject({ reason });
});

// proves: attachments.pdf, files.rules
test('an operator sets the maximum number of PDF pages', async () => {
  await using strict = new Inspector({ pdfPages: 2 });
  const found = await strict.inspect({ name: 'a.pdf', mime: '' }, contentOf(pdf), { signal });
  expect(found).toEqual({
    reason: 'too_many_pages',
    message: 'has 3 pages; the limit is 2; split it',
  });
});

const random = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 151 + 97) % 256));
const latin = Buffer.from('name;city\nJürgen;Köln\n', 'latin1');

// proves: attachments.types
test.each([
  ['a program for Linux', 'a.txt', 'text/plain', programs.elf, 'type_mismatch'],
  ['a program for Windows', 'a.txt', 'text/plain', programs.exe, 'type_mismatch'],
  [
    'a program under its name',
    'a.exe',
    'application/x-msdownload',
    programs.exe,
    'unsupported_type',
  ],
  ['random bytes as a document', 'a.docx', kinds.docx.mime, random, 'type_mismatch'],
  ['random bytes as text', 'a.csv', 'text/csv', random, 'not_text'],
  ['random bytes', 'a.bin', '', random, 'unsupported_type'],
  ['text of another time', 'a.csv', 'text/csv', latin, 'not_text'],
  ['text with binary at its end', 'a.txt', '', Buffer.from(`${'a'.repeat(9e3)}\0`), 'not_text'],
  ['text that ends in a character', 'a.txt', '', Buffer.from('abc\xc3', 'latin1'), 'not_text'],
  ['text as an image', 'a.png', 'image/png', Buffer.from('hello'), 'type_mismatch'],
  ['text as a program', 'a.exe', 'application/x-msdownload', Buffer.from('hi'), 'unsupported_type'],
  ['text as an SVG image', 'a.svg', 'image/svg+xml', Buffer.from('<html/>'), 'type_mismatch'],
  ['a GIF as a PNG', 'a.png', 'image/png', images.gif, 'type_mismatch'],
  ['a PNG named as a GIF', 'a.gif', 'image/png', images.png, 'type_mismatch'],
  ['a PDF as text', 'a.txt', 'text/plain', pdfOf(), 'type_mismatch'],
  ['a workbook as a document', 'a.docx', '', packageOf({ kind: 'xlsx' }), 'type_mismatch'],
  [
    'a document with a password',
    'a.docx',
    '',
    Buffer.concat([ole, Buffer.alloc(600)]),
    'encrypted',
  ],
  ['an archive', 'a.zip', 'application/zip', zip, 'archive'],
  ['an empty file', 'a.txt', 'text/plain', Buffer.alloc(0), 'empty'],
  ['an image without pixels', 'a.png', 'image/png', pngOf(0, 1), 'malformed'],
  ['an image of 9,000 pixels', 'a.png', 'image/png', pngOf(9_000, 1), 'too_many_pixels'],
  ['half an image', 'a.png', 'image/png', images.png.subarray(0, 50), 'truncated'],
  ['half a photo', 'a.jpg', 'image/jpeg', images.jpg.subarray(0, -4), 'truncated'],
  ['half a table', 'a.parquet', '', parquet.subarray(0, -4), 'truncated'],
] as const)('%s is refused', async (...row) => {
  const [, name, mime, bytes, reason] = row;
  expect(await inspect(name, bytes, mime)).toMatchObject({ reason });
});

// proves: attachments.sizes
test.each([
  ['12 MiB of text', 'a.txt', Buffer.alloc(12 * 1024 * 1024, 97), 10 * 1024 * 1024],
  ['an image of 6 MiB', 'a.png', Buffer.concat([images.png, Buffer.alloc(6e6)]), 5 * 1024 * 1024],
  ['a PDF of 11 MB', 'a.pdf', Buffer.concat([pdf, Buffer.alloc(11e6)]), 10 * 1024 * 1024],
])('%s is refused, unless the operator allows it', async (...row) => {
  const [, name, bytes, most] = row;
  const found = await inspect(name, bytes);
  expect(found).toMatchObject({ reason: 'too_large', message: containing(`${most}`) });
  await using loose = new Inspector({ textBytes: 2e7, imageBytes: 2e7, pdfBytes: 2e7 });
  const other = await loose.inspect({ name, mime: '' }, contentOf(bytes), { signal });
  expect(other).not.toMatchObject({ reason: 'too_large' });
});
