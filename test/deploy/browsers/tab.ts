import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** What both protocols of WebDriver offer: input actions have the same form in each. */
export type Protocol = AsyncDisposable & {
  navigate(url: string): Promise<void>;
  /** The value of an expression in the page, as JSON. */
  evaluate(expression: string): Promise<unknown>;
  act(actions: readonly object[]): Promise<void>;
  /** A PNG, in Base64. */
  picture(): Promise<string>;
};

const showMsMax = 60_000;
const pollMs = 100;
const enter = '\uE007';

/** A page of any browser, as a person uses it: with pointer and keys. */
export class Tab {
  readonly #protocol: Protocol;

  constructor(protocol: Protocol) {
    this.#protocol = protocol;
  }

  open(url: string): Promise<void> {
    return this.#protocol.navigate(url);
  }

  /** Waits until the page shows an element of the selector whose text or label contains these words. */
  async see(selector: string, words = ''): Promise<{ readonly x: number; readonly y: number }> {
    const found = `(() => {
      const words = ${JSON.stringify(words)};
      const nameOf = (each) => each.innerText + ' ' + (each.getAttribute('aria-label') ?? '') + ' ' + (each.value ?? '');
      const all = [...document.querySelectorAll(${JSON.stringify(selector)})];
      const shown = all.filter((each) => each.getClientRects().length > 0 && nameOf(each).includes(words)).at(-1);
      if (!shown) return null;
      shown.scrollIntoView({ block: 'nearest' });
      const { x, y, width, height } = shown.getBoundingClientRect();
      return JSON.stringify({ x: Math.round(x + width / 2), y: Math.round(y + height / 2) });
    })()`;
    const until = Date.now() + showMsMax;
    for (;;) {
      const place = await this.#protocol.evaluate(found);
      if (typeof place === 'string') return JSON.parse(place) as { x: number; y: number };
      if (Date.now() > until) throw new Error(`not shown: ${selector} ${words}`);
      await pause(pollMs);
    }
  }

  async gone(selector: string, words = ''): Promise<void> {
    const until = Date.now() + showMsMax;
    const expression = `[...document.querySelectorAll(${JSON.stringify(selector)})].filter((each) =>
      each.innerText.includes(${JSON.stringify(words)})).length`;
    while ((await this.#protocol.evaluate(expression)) !== 0) {
      if (Date.now() > until) throw new Error(`still shown: ${selector} ${words}`);
      await pause(pollMs);
    }
  }

  async click(selector: string, words = ''): Promise<void> {
    const { x, y } = await this.see(selector, words);
    const move = { type: 'pointerMove', x, y, duration: 0, origin: 'viewport' };
    const press = [
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    const parameters = { pointerType: 'mouse' };
    await this.#protocol.act([
      { type: 'pointer', id: 'mouse', parameters, actions: [move, ...press] },
    ]);
  }

  /** A line break is Enter. */
  async type(text: string): Promise<void> {
    const actions = [...text].flatMap((letter) => {
      const value = letter === '\n' ? enter : letter;
      return [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ];
    });
    await this.#protocol.act([{ type: 'key', id: 'keys', actions }]);
  }

  async picture(file: string): Promise<void> {
    await writeFile(file, await this.#protocol.picture(), 'base64');
  }

  read(expression: string): Promise<unknown> {
    return this.#protocol.evaluate(expression);
  }
}
