const ESCAPE = '\u001b';
const SEQUENCE = new RegExp(`([^\\r\\n${ESCAPE}]+)|(\\r?\\n|\\r)|${ESCAPE}\\[\\??([\\d;]*)([A-Za-z])`, 'g');

/** What a terminal shows of output: rows of pieces of text, each with its colours. Knows what the command line writes, and no more. */
export class Screen {
  #rows = [[]];
  #row = 0;
  #column = 0;
  #style = '';

  write(output) {
    // Text, line ends, and control sequences: colours, steps up, and what is erased.
    for (const [, text, end, numbers, final] of output.matchAll(SEQUENCE))
      if (text !== undefined) this.#put(text);
      else if (end === '\r') this.#column = 0;
      else if (end !== undefined) this.#nextRow();
      else this.#obey(numbers, final);
  }

  /** Rows without what is empty at the end. */
  get rows() {
    const rows = this.#rows.map(joinEqual);
    while (rows.length > 0 && rows.at(-1).every(({ text }) => text.trim() === '')) rows.pop();
    return rows;
  }

  #put(text) {
    for (const character of text) this.#rows[this.#row][this.#column++] = { text: character, style: this.#style };
  }

  #nextRow() {
    this.#row += 1;
    this.#column = 0;
    this.#rows[this.#row] ??= [];
  }

  #obey(numbers, final) {
    const [first = 0] = numbers.split(';').map(Number);
    if (final === 'm') this.#style = STYLES[first] ?? (first === 0 || first === 39 || first === 22 ? '' : this.#style);
    else if (final === 'A') this.#row = Math.max(0, this.#row - (first || 1));
    else if (final === 'G') this.#column = Math.max(0, (first || 1) - 1);
    else if (final === 'K') this.#rows[this.#row].length = first === 2 ? 0 : this.#column;
    else if (final === 'J') {
      this.#rows.length = this.#row + 1;
      this.#rows[this.#row].length = this.#column;
    }
  }
}

const STYLES = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow', 34: 'blue', 36: 'blue', 90: 'dim' };

function joinEqual(cells) {
  const pieces = [];
  for (const { text, style } of Array.from(cells, (cell) => cell ?? { text: ' ', style: '' }))
    if (pieces.at(-1)?.style === style) pieces.at(-1).text += text;
    else pieces.push({ text, style });
  return pieces;
}
