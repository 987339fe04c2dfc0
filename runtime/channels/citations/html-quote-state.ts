type Where =
  | 'text'
  | 'open'
  | 'end'
  | 'declaration'
  | 'comment'
  | 'bogus'
  | 'tag'
  | 'between'
  | 'attribute'
  | 'after'
  | 'value'
  | 'unquoted'
  | 'double'
  | 'single';

const blank = /[\t\n\f\r ]/;
const letter = /[a-z]/i;
/** Their content is text of its own, up to their end tag. */
const rawElements = new Set([
  ...['script', 'style', 'textarea', 'title', 'xmp', 'iframe'],
  ...['noembed', 'noframes', 'noscript', 'plaintext'],
]);

/** Tells the text of HTML from its tags, comments and scripts, as the tokenizer of the HTML standard does. */
export class HtmlQuoteState {
  #where: Where = 'text';
  /** The name of the tag that is read. */
  #name = '';
  #isEnd = false;
  /** The element whose content is text of its own. */
  #raw = '';
  /** The last characters of a comment or declaration. */
  #tail = '';

  read(text: string, from: number, to: number): void {
    for (let at = from; at < to; at += 1) this.#where = this.#next(text.charAt(at));
  }

  quoting(): 'none' | 'quoted' {
    return this.#where === 'text' && this.#raw === '' ? 'none' : 'quoted';
  }

  #next(char: string): Where {
    switch (this.#where) {
      case 'text':
        return afterText(char);
      case 'open':
        return this.#opened(char);
      case 'end':
        return this.#ended(char);
      case 'declaration':
      case 'comment':
        return this.#declared(char);
      case 'bogus':
        return char === '>' ? 'text' : 'bogus';
      case 'double':
        return char === '"' ? 'between' : 'double';
      case 'single':
        return char === "'" ? 'between' : 'single';
      default:
        return this.#inTag(char, this.#where);
    }
  }

  #opened(char: string): Where {
    if (char === '/') return 'end';
    // In the content of such an element only its end tag is one.
    if (this.#raw !== '') return afterText(char);
    if (letter.test(char)) return this.#begin(char, false);
    if (char === '!') {
      this.#tail = '';
      return 'declaration';
    }
    if (char === '?') return 'bogus';
    return afterText(char);
  }

  #ended(char: string): Where {
    if (letter.test(char)) return this.#begin(char, true);
    if (this.#raw !== '') return afterText(char);
    return char === '>' ? 'text' : 'bogus';
  }

  #begin(char: string, isEnd: boolean): Where {
    this.#name = char.toLowerCase();
    this.#isEnd = isEnd;
    return 'tag';
  }

  /** `<!--` begins a comment, which `-->` ends; any other declaration ends with its bracket. */
  #declared(char: string): Where {
    if (this.#where === 'comment') {
      const isOver = char === '>' && this.#tail === '--';
      this.#tail = `${this.#tail}${char}`.slice(-2);
      return isOver ? 'text' : 'comment';
    }
    this.#tail += char;
    if (this.#tail === '-') return 'declaration';
    if (this.#tail === '--') {
      this.#tail = '';
      return 'comment';
    }
    return char === '>' ? 'text' : 'bogus';
  }

  #inTag(char: string, where: Where): Where {
    if (where === 'tag') return this.#named(char);
    if (char === '>') return this.#closed();
    if (where === 'unquoted') return blank.test(char) ? 'between' : where;
    if (where === 'value') return this.#valued(char);
    if (char === '/') return 'between';
    if (blank.test(char)) return where === 'between' ? 'between' : 'after';
    return char === '=' && where !== 'between' ? 'value' : 'attribute';
  }

  #named(char: string): Where {
    const isOver = char === '>' || char === '/' || blank.test(char);
    if (!isOver) this.#name += char.toLowerCase();
    const isOwn = isOver ? this.#name === this.#raw : this.#raw.startsWith(this.#name);
    if (this.#raw !== '' && !isOwn) return afterText(char);
    if (char === '>') return this.#closed();
    return isOver ? 'between' : 'tag';
  }

  #valued(char: string): Where {
    if (blank.test(char)) return 'value';
    if (char === '"') return 'double';
    return char === "'" ? 'single' : 'unquoted';
  }

  #closed(): Where {
    this.#raw = !this.#isEnd && rawElements.has(this.#name) ? this.#name : '';
    return 'text';
  }
}

function afterText(char: string): Where {
  return char === '<' ? 'open' : 'text';
}
