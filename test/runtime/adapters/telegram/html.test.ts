import { expect, test } from 'vitest';
import { toTelegramHtml } from '../../../../runtime/adapters/telegram/html.ts';

test.each([
  ['**bold**, _italic_ and ~~gone~~', '<b>bold</b>, <i>italic</i> and <s>gone</s>'],
  ['# Title\n\ntext', '<b>Title</b>\n\ntext'],
  ['a `<b>` & c', 'a <code>&lt;b&gt;</code> &amp; c'],
  ['```js\nif (a < b) {}\n```', '<pre><code class="language-js">if (a &lt; b) {}</code></pre>'],
  ['[docs](https://x.test/?a=1&b="2")', '<a href="https://x.test/?a=1&amp;b=%222%22">docs</a>'],
  ['- one\n- two\n  - deep', '• one\n• two\n  • deep'],
  ['1. one\n2. two', '1. one\n2. two'],
  ['> said', '<blockquote>said</blockquote>'],
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
])('Markdown %j becomes what Telegram shows', (markdown, html) => {
  expect(toTelegramHtml(markdown)).toBe(html);
});

test('a text that is still being written is valid too', () => {
  expect(toTelegramHtml('**not closed and `neither')).toBe('**not closed and `neither');
  expect(toTelegramHtml('```py\nprint(1)')).toBe(
    '<pre><code class="language-py">print(1)</code></pre>',
  );
});
