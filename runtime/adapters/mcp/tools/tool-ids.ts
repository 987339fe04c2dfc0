import { createHash } from 'node:crypto';
import { toolIdCharsMax } from './limits.ts';

/**
 * Maps the server's own tool names to ids. A name that is already a `snake_case` word is kept; other names are converted,
 * and if two would get the same id, a hash of the name makes them unique. The ids do not depend on the order of names.
 */
export function toolIds(server: string, names: readonly string[]): ReadonlyMap<string, string> {
  const room = toolIdCharsMax - `mcp__${server}__`.length;
  const plain = new Map(names.map((name) => [name, toWord(name)]));
  const wanted = [...plain.values()];
  const ids = [...plain].map(([name, word]) => {
    const alone = wanted.filter((other) => other === word).length === 1;
    const fits = word === name || (alone && !names.includes(word));
    return [
      name,
      `mcp.${server}.${fits && word.length <= room ? word : withHash(word, name, room)}`,
    ];
  });
  return new Map(ids.map(([name = '', id = '']) => [name, id]));
}

/** Words that cannot follow a dot in Python, or that have another meaning in JavaScript. */
const reservedWords = new Set(
  'and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return then try while with yield'.split(
    ' ',
  ),
);

function toWord(name: string): string {
  const word = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  const begun = /^[a-z]/.test(word) ? word : `tool_${word}`.replace(/_$/, '');
  return reservedWords.has(begun) ? `${begun}_` : begun;
}

function withHash(word: string, name: string, room: number): string {
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 6);
  return `${word.slice(0, room - mark.length - 1)}_${mark}`;
}
