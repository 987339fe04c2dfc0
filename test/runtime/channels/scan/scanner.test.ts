import { expect, test } from 'vitest';
import type { ChannelEvent, ChannelSpec } from '../../../../runtime/channels/protocol/channel.ts';
import { createScanner } from '../../../../runtime/channels/scan/scanner.ts';
import { scan } from './scan.ts';

// proves: scanner.no-hold-back, scanner.quoted-tags, channels.instances

test('channels are split, numbered and named canonically', () => {
  const events = scan(
    '<channel:thinking>hm</channel:thinking>\n<CHANNEL:Action>{}</channel:DECISION>' +
      '< channel : action id2="a" >{}</ channel:action >',
  );
  expect(events).toEqual([
    opened('thinking'),
    text('thinking', 'hm'),
    closed('thinking'),
    opened('ReactDecisionOutV2'),
    text('ReactDecisionOutV2', '{}'),
    closed('ReactDecisionOutV2'),
    { ...opened('ReactDecisionOutV2', 1), attributes: { id2: 'a' } },
    { ...text('ReactDecisionOutV2', '{}'), instance: 1 },
    { ...closed('ReactDecisionOutV2'), instance: 1 },
  ]);
});

test('attributes accept both quotes and keep their value as written', () => {
  const [first] = scan(`<channel:canvas Name="a b.html" mime='text/html' title = "1 > 0">x`);
  expect(first).toMatchObject({
    attributes: { name: 'a b.html', mime: 'text/html', title: '1 > 0' },
  });
});

test('a channel opened with an id may contain any text and is closed only by that id', () => {
  const code = 'print("</channel:code>")\n<channel:summary>\n</channel:code id="b">';
  expect(bodies(`<channel:code id="a">${code}</channel:code id="a">`)).toEqual([['code', code]]);
  expect(scan(`<channel:code id="a">x`).at(-2)).toEqual({ ...closed('code'), how: 'end' });
});

test('in markdown a tag in a fence or in closed backticks is text', () => {
  for (const body of [
    'write `</channel:thinking>` or ``<channel:code>`` so',
    'so:\n```xml\n<channel:code>\n</channel:thinking>\n```\n',
    '  ````\n```\n</channel:thinking>\n````\nafter',
  ]) {
    expect(bodies(`<channel:thinking>${body}</channel:thinking>`)).toEqual([['thinking', body]]);
  }
});

test('an unclosed backtick does not hide the tags after it', () => {
  const output =
    '<channel:thinking>the ` key</channel:thinking><channel:summary>b``c</channel:summary>\n';
  expect(bodies(output)).toEqual([
    ['thinking', 'the ` key'],
    ['summary', 'b``c'],
  ]);
  expect(bodies(output.trim())).toEqual(bodies(output));
});

test('a fence may be closed directly before the closing tag', () => {
  expect(bodies('<channel:thinking>\n```\nx\n```</channel:thinking>')).toEqual([
    ['thinking', '\n```\nx\n```'],
  ]);
});

test('in JSON a tag in a string is text, regardless of backticks', () => {
  const json = '```json\n{"a": "`</channel:action>", "b": "\\"<channel:code>"}\n```';
  expect(bodies(`<channel:action>${json}</channel:action>`)).toEqual([
    ['ReactDecisionOutV2', json],
  ]);
});

test('an invalid JSON string no longer hides tags: the next channel is found', () => {
  const broken =
    '<channel:action>{"a": "never closed</channel:action>\n<channel:summary>s</channel:summary>';
  expect(bodies(broken)).toEqual([
    ['ReactDecisionOutV2', '{"a": "never closed</channel:action>\n'],
    ['summary', 's'],
  ]);
});

test('raw code ends at any tag, quoted or not', () => {
  expect(bodies('<channel:code>`a\n```\n</channel:code>')).toEqual([['code', '`a\n```\n']]);
});

test('an opening tag closes the open channel, with a notice', () => {
  const events = scan('<channel:thinking>a<channel:summary>b</channel:summary>');
  expect(events).toContainEqual({ ...closed('thinking'), how: 'implicit' });
  expect(notices(events)).toEqual(['unclosed_channel']);
});

test('an undeclared channel is dropped with a notice and affects no other channel', () => {
  const output = 'Sure, <channel:Mood>good</channel:mood><channel:summary>b</channel:summary>';
  expect(bodies(output)).toEqual([['summary', 'b']]);
  expect(scan(output).filter(({ kind }) => kind === 'notice')).toMatchObject([
    { code: 'undeclared_channel', detail: { name: 'mood' } },
    { code: 'text_outside', detail: { chars: 5, preview: 'Sure,' } },
  ]);
});

test('a closing tag without an open channel is dropped with a notice', () => {
  const output = '<channel:summary>a</channel:code>b</channel:summary>';
  expect(bodies(output)).toEqual([['summary', 'ab']]);
  expect(notices(scan(output))).toEqual(['stray_close']);
});

test('almost a tag is text', () => {
  for (const body of [
    'a < b',
    '</channel>',
    '<channel:>',
    '<channel:a b>',
    '<channels:a>',
    "<<channel:a b='<'",
  ]) {
    expect(bodies(`<channel:summary>${body}</channel:summary>`)).toEqual([['summary', body]]);
  }
  expect(bodies('<channel:summary><</channel:summary>')).toEqual([['summary', '<']]);
});

test('a body over its limit is cut between characters, with a notice', () => {
  const channels: ChannelSpec[] = [{ name: 'x', format: 'text', charsMax: 3 }];
  const events = scan('<channel:x>ab😀c</channel:x>', channels);
  expect(events.slice(1)).toMatchObject([
    { kind: 'text', text: 'ab' },
    { kind: 'closed' },
    { kind: 'notice', code: 'channel_too_long', detail: { dropped: 3 } },
  ]);
});

test('notices are capped, and the last one states their number', () => {
  const events = scan('</channel:x>'.repeat(80));
  expect(notices(events)).toHaveLength(51);
  expect(events.at(-1)).toMatchObject({ code: 'notices_dropped', detail: { dropped: 30 } });
});

test('invisible characters are removed; joiners stay where they have an effect', () => {
  expect(
    bodies(
      '<channel:summary>a\u200bb\ufeff\u202ec\u200dd 👩\u200d💻 می\u200cخواهم</channel:summary>',
    ),
  ).toEqual([['summary', 'abcd 👩\u200d💻 می\u200cخواهم']]);
});

test('only text that may become a tag is held back', () => {
  const scanner = createScanner();
  scanner.push('<channel:thinking>');
  expect(scanner.push('a <b')).toEqual([text('thinking', 'a <b')]);
  expect(scanner.push('a <')).toEqual([text('thinking', 'a ')]);
  expect(scanner.push('/chan')).toEqual([]);
  expect(scanner.push('ge>')).toEqual([text('thinking', '</change>')]);
  expect(scanner.push('<channel'.padEnd(600))).toEqual([text('thinking', '<channel'.padEnd(600))]);
});

test('a surrogate pair is never split', () => {
  const scanner = createScanner();
  scanner.push('<channel:thinking>');
  expect(scanner.push('a\ud83d')).toEqual([text('thinking', 'a')]);
  expect(scanner.push('\ude00')).toEqual([text('thinking', '😀')]);
});

function bodies(whole: string): [string, string][] {
  const all = new Map<string, [string, string]>();
  for (const event of scan(whole)) {
    if (event.kind !== 'opened' && event.kind !== 'text') continue;
    const body = all.get(`${event.channel}${event.instance}`) ?? [event.channel, ''];
    if (event.kind === 'text') body[1] += event.text;
    all.set(`${event.channel}${event.instance}`, body);
  }
  return [...all.values()];
}

function notices(events: readonly ChannelEvent[]): string[] {
  return events.flatMap((event) => (event.kind === 'notice' ? [event.code] : []));
}

function opened(channel: string, instance = 0) {
  return { kind: 'opened' as const, channel, instance, attributes: {} };
}

function text(channel: string, body: string) {
  return { kind: 'text' as const, channel, instance: 0, text: body };
}

function closed(channel: string) {
  return { kind: 'closed' as const, channel, instance: 0, how: 'tag' as const };
}
