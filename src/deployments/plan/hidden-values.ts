import { hash } from 'node:crypto';
import { MASKED } from '../../formats/design-file/secret-values.js';
import { TRUNCATION_MARK } from '../../kubernetes/clusters/sanitize-cluster-text.js';
import { isOrdinaryWord } from './ordinary-words.js';

/** Shorter texts are never values. */
const SHORTEST = 3;
/** Shorter values are ordinary; of a longer one, this much of its beginning is looked up. */
const MIN_LENGTH = 6;
/** A text with that much of a value has the value. */
const MAX_COMPARED = 128;
/** The maximum number of places that are compared in a text; the rest is hidden when more may be the beginning of a value. */
const MAX_TRIED = 20_000;
/** The maximum number of values with one beginning that are told apart; of more, the beginning is hidden. */
const MAX_ALIKE = 16;
/** The maximum length of a word. */
const MAX_WORD = 253;
/** Of a longer value the beginning is looked for, and what follows it is hidden, too; in base64 only where the value begins it. */
const MAX_VALUE = 4_096;
/** The maximum number of values and parts of values, and of their characters as far as they are looked for; of more, everything is hidden. */
const MAX_VALUES = 10_000;
const MAX_CHARACTERS = 1_000_000;
/** The maximum length of a value, which no API server accepts. */
const MAX_LENGTH = 4_000_000;
/** About the memory of one text that is looked for, in bytes, besides its characters. */
const ENTRY_SIZE = 200;

/** The text before a value that a message shows. */
const BEFORE_VALUE = /(?:["'`=:]|(?:Invalid|Unsupported|Duplicate) value: )$/;
const LONGEST_BEFORE = 'Unsupported value: '.length;
/** The ends of a value that was truncated. */
const CUTS = ['…', '...', '"...', TRUNCATION_MARK];
/** API servers and this server truncate texts that are longer, also without a mark. */
const MAX_WHOLE_TEXT = 1_000;

interface Span {
  start: number;
  end: number;
}

/**
 * Finds values in texts, as they are or as clusters write them: quoted or escaped as Go and JSON do at any depth, percent-encoded, in
 * base64, alone or with more, without control characters, with other white space, or truncated; also their lines and the texts in JSON,
 * unless these are ordinary. What a message may say of its own is ordinary: numbers of up to five digits, texts of
 * less than six characters, words of messages, and given names. An ordinary value is found only where a message shows a value: after a
 * quotation mark, `=`, `:` or `Invalid value: `. A value of letters or digits only is no part of a longer word. A text is searched once for all values.
 * Of more values than are looked for, everything is hidden.
 */
export class HiddenValues {
  private readonly byBeginning = new Map<string, string[]>();
  private readonly beginnings = new Uint8Array(1 << 16);
  /** Beginnings with more values than are told apart. */
  private readonly ofMany = new Set<string>();
  private readonly ordinary = new Set<string>();
  private readonly ordinaryBeginnings = new Set<string>();
  private readonly ordinaryLengths = new Set<number>();
  /** The beginnings of values of more than `MAX_VALUE` characters. */
  private readonly ofLonger = new Set<string>();
  /** Digests of the values that were given. */
  private readonly given = new Set<string>();
  /** Parts of base64, which are found inside of words. */
  private readonly fragments = new Set<string>();
  /** The first three to five characters of all values. */
  private readonly shortBeginnings = new Set<string>();
  private counted = 0;
  private characters = 0;
  private entrySizes = 0;
  private isOverfull = false;

  /** @param names that messages have of their own */
  constructor(private readonly names: ReadonlySet<string> = new Set()) {}

  get isEmpty(): boolean {
    return !this.isOverfull && this.byBeginning.size === 0 && this.ordinary.size === 0;
  }

  /** Whether there are more values than are looked for, so that everything is hidden. */
  get hidesAll(): boolean {
    return this.isOverfull;
  }

  /** About how much memory they take, in bytes. */
  get size(): number {
    return this.entrySizes + this.characters;
  }

  add(value: string): void {
    for (const _ of this.addInSteps(value)) if (this.isOverfull) return;
  }

  /** Adds a value and its parts in steps, between which others may run. */
  *addInSteps(value: string): Generator<void> {
    const digest = hash('sha256', value, 'base64');
    if (this.given.has(digest) || !this.count(value)) return;
    this.given.add(digest);
    this.addForms(value);
    yield;
    for (const part of partsOf(value)) {
      if (!this.count(part)) return;
      if (part.length > MAX_VALUE || !this.isOrdinary(new PlainText(part).text.trim())) this.addForms(part);
      yield;
    }
  }

  /** Whether a text contains one of the values; words of messages count as a whole only, names not at all. */
  isIn(text: string): boolean {
    if (this.isOverfull) return true;
    if (this.isEmpty) return false;
    return readingsOf(text).some((written) => {
      const plain = new PlainText(text, written).text;
      if (plain.length >= MIN_LENGTH && this.ordinary.has(plain) && !this.names.has(plain)) return true;
      for (const _ of this.find(plain)) return true;
      return false;
    });
  }

  /** Hides the values in a message. */
  hideIn(message: string): string {
    if (this.isOverfull) return MASKED;
    if (this.isEmpty) return message;
    return readingsOf(message).reduce((left, written) => this.hideAsWritten(left, written), message);
  }

  private hideAsWritten(message: string, written: RegExp): string {
    const plain = new PlainText(message, written);
    const { text } = plain;
    const spans = [...this.find(text), ...this.findShown(text), ...this.findCut(text)];
    let shown = '';
    let done = 0;
    for (const { start, end } of spans.sort((a, b) => a.start - b.start || b.end - a.end)) {
      if (end <= done) continue;
      if (start >= done) shown += message.slice(plain.at(done), plain.at(start)) + MASKED;
      done = end;
    }
    return shown + message.slice(plain.at(done));
  }

  /** Whether one more value or part is looked for. */
  private count(value: string): boolean {
    this.counted++;
    this.characters += Math.min(value.length, MAX_VALUE);
    if (this.counted > MAX_VALUES || this.characters > MAX_CHARACTERS || value.length > MAX_LENGTH) this.hideAll();
    return !this.isOverfull;
  }

  private hideAll(): void {
    this.isOverfull = true;
    this.entrySizes = this.characters = 0;
    for (const texts of [this.ordinary, this.given, this.fragments, this.shortBeginnings, this.ofLonger, this.ofMany])
      texts.clear();
    this.byBeginning.clear();
  }

  private addForms(value: string): void {
    const isLonger = value.length > MAX_VALUE;
    const plain = toPlainBeginning(value);
    // A long value that begins with too little to be looked for could appear anywhere.
    if (isLonger && plain.trim().length < MAX_COMPARED && SHOWN.test(value)) return this.hideAll();
    for (const one of new Set([plain.trim(), plain.trimStart(), plain.trim().replaceAll(' ', '+')])) {
      if (isLonger) this.ofLonger.add(Buffer.from(one).toString());
      this.addPlain(one);
    }
    // A number as Go prints it where it was read as a double.
    const [digits, exponent] = /^-?\d{7,}$/.test(value) ? Number(value).toExponential().split('e+') : [];
    if (exponent) this.addPlain(`${digits}e+${exponent.padStart(2, '0')}`);
    if (isLonger || this.isOrdinary(plain.trim())) return;
    for (const fragment of insideBase64(value.trim())) {
      this.fragments.add(fragment);
      this.addPlain(fragment);
    }
  }

  private addPlain(given: string): void {
    if (given.length < SHORTEST) return;
    // A copy, since a part of a text keeps the whole of it in memory.
    const value = Buffer.from(given).toString();
    this.entrySizes += ENTRY_SIZE + value.length;
    if (this.isOrdinary(value)) {
      this.ordinary.add(value);
      this.ordinaryBeginnings.add(value.slice(0, SHORTEST));
      this.ordinaryLengths.add(value.length);
      return;
    }
    for (let length = SHORTEST; length < MIN_LENGTH; length++) this.shortBeginnings.add(value.slice(0, length));
    const beginning = value.slice(0, MIN_LENGTH);
    const alike = this.byBeginning.get(beginning) ?? [];
    if (alike.length < MAX_ALIKE && !alike.includes(value)) alike.push(value);
    else if (alike.length === MAX_ALIKE) this.ofMany.add(beginning);
    this.byBeginning.set(beginning, alike);
    this.beginnings[hashAt(value, 0)] = 1;
  }

  private isOrdinary(value: string): boolean {
    return value.length < MIN_LENGTH || isOrdinaryWord(value) || this.names.has(value);
  }

  /** Finds the values that are not ordinary, in order. */
  private *find(text: string): Generator<Span> {
    let tried = 0;
    for (let start = 0; start <= text.length - MIN_LENGTH; start++) {
      if (this.beginnings[hashAt(text, start)] === 0) continue;
      const end = ++tried > MAX_TRIED ? text.length : this.findEnd(text, start);
      if (end === undefined) continue;
      yield { start, end };
      start = end - 1;
    }
  }

  /** The end of the longest value that stands at a place in a text; the end of the text when the end of the value is not known. */
  private findEnd(text: string, start: number): number | undefined {
    const beginning = text.slice(start, start + MIN_LENGTH);
    if (this.ofMany.has(beginning)) return text.length;
    const ends = (this.byBeginning.get(beginning) ?? []).flatMap((value) => {
      if (text.startsWith(value, start)) {
        const end = this.ofLonger.has(value) ? text.length : start + value.length;
        return isOneWord(value) && !this.fragments.has(value) && isPartOfWord(text, start, end) ? [] : end;
      }
      const end = start + commonLength(value, text, start);
      if (end - start === MAX_COMPARED) return text.length;
      return isCutAt(text, end) ? end : [];
    });
    return ends.length > 0 ? Math.max(...ends) : undefined;
  }

  /** Finds ordinary values where the text shows a value. */
  private *findShown(text: string): Generator<Span> {
    const lengths = [...this.ordinaryLengths].sort((a, b) => b - a);
    if (lengths.length === 0) return;
    let tried = 0;
    for (let start = 1; start < text.length; start++) {
      if (!this.ordinaryBeginnings.has(text.slice(start, start + SHORTEST))) continue;
      if (!BEFORE_VALUE.test(text.slice(Math.max(0, start - LONGEST_BEFORE), start))) continue;
      tried += lengths.length;
      if (tried > MAX_TRIED) {
        yield { start, end: text.length };
        return;
      }
      const length = lengths.find(
        (one) => this.ordinary.has(text.slice(start, start + one)) && !isPartOfWord(text, start, start + one),
      );
      if (length !== undefined) yield { start, end: start + length };
    }
  }

  /** Finds the first few characters of values before a cut. */
  private *findCut(text: string): Generator<Span> {
    if (this.shortBeginnings.size === 0) return;
    for (let end = SHORTEST; end <= text.length; end++) {
      if (!isCutAt(text, end)) continue;
      for (let length = SHORTEST; length < MIN_LENGTH; length++)
        if (this.shortBeginnings.has(text.slice(end - length, end)) && !isPartOfWord(text, end - length, end))
          yield { start: end - length, end };
    }
  }
}

const isCutAt = (text: string, end: number): boolean =>
  (end === text.length && end >= MAX_WHOLE_TEXT) || CUTS.some((mark) => text.startsWith(mark, end));

/** How many characters of a value a text has from a place on, up to `MAX_COMPARED`. */
function commonLength(value: string, text: string, start: number): number {
  const most = Math.min(value.length, MAX_COMPARED);
  let length = MIN_LENGTH;
  while (length < most && value[length] === text[start + length]) length++;
  return length;
}

const isOneWord = (value: string): boolean => value.length <= MAX_WORD && /^(?:[A-Za-z]+|\d+)$/.test(value);

/** Whether what stands between two places goes on as a word on one of its sides. */
const isPartOfWord = (text: string, start: number, end: number): boolean =>
  (isWordCharacter(text[start - 1]) && isWordCharacter(text[start])) ||
  (isWordCharacter(text[end]) && isWordCharacter(text[end - 1]));

const isWordCharacter = (character = ''): boolean => /^\w$/.test(character);

function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let index = at; index < at + MIN_LENGTH; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) & 0xffff;
  return hash;
}

/** The lines of a value, or the texts and numbers in its JSON. */
function* partsOf(value: string): Generator<string> {
  const json = /^\s*[[{]/.test(value) ? parseJson(value) : undefined;
  if (json === undefined) {
    if (value.trim().includes('\n')) yield* linesOf(value);
    return;
  }
  const left: unknown[] = [json];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one === 'string' || typeof one === 'number') yield String(one);
    else if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) left.push(inner);
  }
}

function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What base64 has of a value wherever it stands in what is encoded, such as after a name of a user: without the characters that depend on more. */
function insideBase64(value: string): string[] {
  const bytes = Buffer.from(value);
  const found = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64url');
    return encoded.slice(before && before + 1, Math.floor(((before + bytes.length) * 4) / 3));
  });
  return [...new Set(found.flatMap((one) => [one, one.replaceAll('-', '+').replaceAll('_', '/')]))];
}

/** A byte as JavaScript, Python and Go escape it, or in a URL, before its digits. */
const BYTE = String.raw`(?:\\{1,32}x|%)`;
const NEXT = `${BYTE}[89abAB][0-9a-fA-F]`;
/** A character in UTF-8, byte by byte. */
const CHARACTER = `${BYTE}[cdCD][0-9a-fA-F]${NEXT}|${BYTE}[eE][0-9a-fA-F](?:${NEXT}){2}|${BYTE}[fF][0-7](?:${NEXT}){3}`;
const CONTROLS = String.raw`\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069`;
/** An escape sequence with any number of backslashes, white space, or a character that texts of clusters lose. */
const WRITTEN = new RegExp(
  String.raw`(${CHARACTER})|%([0-9a-fA-F]{2})|\\{1,1000}(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|([^]?))|\s|[${CONTROLS}]`,
  'gu',
);
/** The same where a backslash or `%` stands for itself. */
const UNESCAPED = new RegExp(String.raw`\s|[${CONTROLS}]`, 'gu');

/** The ways to read a text. */
const readingsOf = (text: string): RegExp[] => (/[\\%]/.test(text) ? [WRITTEN, UNESCAPED] : [WRITTEN]);

const ESCAPES: Record<string, string> = { n: ' ', t: ' ', r: '', v: '', f: '', a: '', b: '', '0': '' };
/** A character that is neither lost nor white space. */
const SHOWN = /[^\s\p{Cc}\p{Cs}]/u;
/** Control characters are lost, except line break and tab. */
const LOST = /[\p{Cs}\u202a-\u202e\u2066-\u2069]|[^\P{Cc}\n\t]/gu;

/** A text without escapes and control characters, and with single spaces. */
class PlainText {
  readonly text: string;
  /** Where what follows a piece begins, in this text and in the given one. */
  private readonly ends: { plain: number; given: number }[] = [];

  constructor(given: string, written = WRITTEN) {
    const pieces: string[] = [];
    let [plain, done] = [0, 0];
    const put = (piece: string, end: number): void => {
      const isRepeated = piece === ' ' && pieces.at(-1)?.endsWith(' ') === true;
      if (piece !== '' && !isRepeated) {
        pieces.push(piece);
        plain += piece.length;
      }
      done = end;
      this.ends.push({ plain, given: end });
    };
    for (const found of given.matchAll(written)) {
      if (found.index > done) put(given.slice(done, found.index), found.index);
      put(readEscape(found), found.index + found[0].length);
    }
    if (done < given.length) put(given.slice(done), given.length);
    this.text = pieces.join('');
  }

  /** The place in the given text of a place in this one: the first one. */
  at(place: number): number {
    let [low, high] = [0, this.ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ends[middle]?.plain ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    const before = this.ends[low - 1] ?? { plain: 0, given: 0 };
    const end = this.ends[low];
    return end?.plain === place ? end.given : before.given + place - before.plain;
  }
}

/** The beginning of a value as plain text: of `MAX_VALUE` characters after those that are lost or white space. */
function toPlainBeginning(value: string): string {
  if (value.length <= MAX_VALUE) return new PlainText(value).text;
  const start = value.search(SHOWN);
  return start < 0 ? '' : new PlainText(value.slice(start, start + MAX_VALUE)).text;
}

function readEscape([all, character, percent, short, long, byte, other]: RegExpMatchArray): string {
  if (character !== undefined)
    return readWhite(Buffer.from((character.match(/[0-9a-fA-F]{2}/g) ?? []).join(''), 'hex').toString('utf8'));
  const code = percent ?? short ?? long ?? byte;
  if (code === undefined) return other === undefined ? readWhite(all) : (ESCAPES[other] ?? readWhite(other));
  const point = parseInt(code, 16);
  return point <= 0x10ffff ? readWhite(String.fromCodePoint(point)) : '';
}

const readWhite = (text: string): string => text.replace(LOST, '').replace(/^\s+$/, ' ');
