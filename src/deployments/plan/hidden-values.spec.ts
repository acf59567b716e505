import { HiddenValues } from './hidden-values.js';

function hiding(value: string, ...names: string[]): (message: string) => string {
  const values = new HiddenValues(new Set(names));
  values.add(value);
  return (message) => values.hideIn(message);
}

/** As Go quotes a text, once more each time. */
const quoted = (value: string, depth = 1): string => (depth === 0 ? value : quoted(JSON.stringify(value), depth - 1));

describe('hidden values in a message', () => {
  it.each<[how: string, value: string, message: string, shown: string]>([
    [
      'a word of letters',
      'hunter',
      'denied: hunter is too weak, hunters and bounty_hunter are not',
      'denied: (hidden) is too weak, hunters and bounty_hunter are not',
    ],
    [
      'part of a text',
      'hunter2',
      'refused postgres://me:hunter2@db, xhunter2y',
      'refused postgres://me:(hidden)@db, x(hidden)y',
    ],
    ['digits', '48151623', 'the pin 48151623, not 481516234', 'the pin (hidden), not 481516234'],
    ['a number as Go prints it', '12345678', 'got Value:1.2345678e+07 there', 'got Value:(hidden) there'],
    ['without what clusters remove', 'first\r\nse\u0007cond', 'has first\nsecond in it', 'has (hidden) in it'],
    [
      'with a line break at its end',
      'correct-horse\n',
      'has correct-horse, "correct-horse\\n"',
      'has (hidden), "(hidden)"',
    ],
    ['with other white space', 'correct  horse\tstaple', 'has correct horse staple', 'has (hidden)'],
    ['escaped for HTML in JSON', 'a<b>&c-d', String.raw`is a\u003cb\u003e\u0026c-d now`, 'is (hidden) now'],
    ['escaped as bytes', 'naïve-value', String.raw`is na\u00efve-value now`, 'is (hidden) now'],
    [
      'truncated',
      'correct horse battery',
      'has "correct horse b..." and correc… and corr…',
      'has "(hidden)..." and (hidden)… and (hidden)…',
    ],
    ['escaped as UTF-8', 'naïve-value', String.raw`is na\xc3\xafve-value, na%C3%afve-value`, 'is (hidden), (hidden)'],
    ['percent-encoded', 'p@ss w/rd', 'is p%40ss%20w%2Frd, p%40ss+w%2frd', 'is (hidden), (hidden)'],
    [
      'after a backslash',
      'token-1',
      String.raw`DOMAIN\token-1 "DOMAIN\\token-1"`,
      String.raw`DOMAIN\(hidden) "DOMAIN\\(hidden)"`,
    ],
    ['after a percent sign', '40token-1', 'at 50%40token-1', 'at 50%(hidden)'],
    ['one of its lines', 'first line\n\nsecond line\n', 'has second line, not second', 'has (hidden), not second'],
    [
      'a text or number in its JSON',
      '{"auths": {"registry": {"username": "robot", "password": "hunter-2", "auth": "cm9ib3Q6aHVu", "pin": [4815162342]}}}',
      'registry robot:hunter-2, cm9ib3Q6aHVu and 4815162342',
      'registry robot:(hidden), (hidden) and (hidden)',
    ],
    ['the longest of those that begin alike', 'shared-1', 'shared-1', '(hidden)'],
  ])('are found as %s', (_, value, message, shown) => {
    expect(hiding(value)(message)).toBe(shown);
  });

  it.each(['', 'm', 'me', 'me:', 'somebody:'])('are found in the base64 of a text, after %p', (before) => {
    for (const [value, after] of [
      ['hunter', ''],
      ['hunter-2ÿþ', '@host'],
      ['correct horse', '?'],
    ] as const)
      for (const encoding of ['base64', 'base64url'] as const) {
        const encoded = Buffer.from(before + value + after).toString(encoding);
        const shown = hiding(value)(`Basic ${encoded}`);
        expect(shown).toMatch(/^Basic [^(]*\(hidden\)[^)]*$/);
        const rest = Buffer.from(shown.replace('Basic ', '').replace('(hidden)', 'AAAA'), encoding).toString();
        expect(rest).not.toContain(value.slice(0, 4));
      }
  });

  it('are found in their parts unless these are ordinary', () => {
    const config = 'production\nname\nshort\nweb-server\n8080\nhunter-2';
    const message = 'production: "name" has "short" of "web-server" at "8080"';
    expect(hiding(config, 'web-server')(`${message} hunter-2`)).toBe(`${message} (hidden)`);
    expect(hiding(`${'['.repeat(100_000)}"hunter-2"${']'.repeat(100_000)}`)('x hunter-2')).toBe('x (hidden)');
  });

  it.each([1, 2, 3])('are found when they were quoted %d times', (depth) => {
    const value = 'say "hush"\\now\nC:\\new';
    const message = `denied: ${quoted(`pod ${value} bad`, depth)} here`;
    const shown = hiding(value)(message);
    expect(shown).toMatch(/^denied: [\\"]+pod \(hidden\) bad[\\"]+ here$/);
  });

  it('are found in a text that is long enough to have been truncated without a mark', () => {
    const text = `${'x '.repeat(600)}correct hor`;
    expect(hiding('correct horse battery')(text)).toBe(`${'x '.repeat(600)}(hidden)`);
    expect(hiding('correct horse battery')('is correct')).toBe('is correct');
  });

  it.each(['name', 'must', 'Required', 'characters', '63', '8080', 'true', 'production', 'web-server'])(
    'are ordinary when a message says them of its own, and hidden only where it shows a value: %s',
    (value) => {
      const hide = hiding(value, 'web-server', 'web', 'server');
      const message = `spec.x: Required ${value} must be ${value}`;
      expect(hide(message)).toBe(message);
      if (value.length > 2)
        for (const before of ['Invalid value: ', 'password=', '"', "'", ':'])
          expect(hide(`is ${before}${value} now`)).toBe(`is ${before}(hidden) now`);
    },
  );

  it('are ordinary in other texts only as the whole of them', () => {
    const values = new HiddenValues();
    for (const value of ['production', 'short', 'hunter2!']) values.add(value);
    expect(['production', 'hunter2!', 'a hunter2! b'].map((text) => values.isIn(text))).toEqual([true, true, true]);
    expect(['in production now', 'short', 'hunter2'].map((text) => values.isIn(text))).toEqual([false, false, false]);
  });

  it('are hidden to the end of the text when they are longer than what is looked for of them', () => {
    const value = `\n\u0000 ${'correct horse '.repeat(400)}battery`;
    expect(hiding(value)(`is ${value.trim()} and more`)).toBe('is (hidden)');
    expect(hiding(value)(`is ${value.trim().slice(0, 200)} and more`)).toBe('is (hidden)');
    expect(hiding(value)('is correct horse and more')).toBe('is correct horse and more');
    expect(hiding(' '.repeat(5_000))('all is well')).toBe('all is well');
    // What such a value begins with may be read in several ways.
    expect(hiding(`${'\\n'.repeat(2_100)}hunter-2`)('all is well')).toBe('(hidden)');
  });

  it.each<[what: string, values: () => string[]]>([
    ['values', () => Array.from({ length: 10_001 }, (_, index) => `value-${index}`)],
    ['lines', () => [Array.from({ length: 10_001 }, (_, index) => `value-${index}`).join('\n')]],
    ['texts in JSON', () => [JSON.stringify(Array.from({ length: 10_001 }, (_, index) => `value-${index}`))]],
    ['characters', () => Array.from({ length: 300 }, (_, index) => `${index} ${'long '.repeat(800)}`)],
    ['characters in one value', () => ['x'.repeat(4_000_001)]],
  ])('hide everything when there are more %s than are looked for', (_, given) => {
    const values = new HiddenValues();
    for (const value of given()) values.add(value);
    expect(values.hidesAll).toBe(true);
    expect(values.hideIn('all is well')).toBe('(hidden)');
    expect(values.isIn('all is well')).toBe(true);
    expect(values.isEmpty).toBe(false);
  });

  it('are counted once however often they are given', () => {
    const values = new HiddenValues();
    for (let time = 0; time < 20_000; time++) values.add('hunter-2');
    expect(values.hideIn('hunter-2 is well')).toBe('(hidden) is well');
  });

  it('that are ordinary are looked for in a limited number of places', () => {
    const names = Array.from({ length: 200 }, (_, index) => 'a'.repeat(40 + index));
    const values = new HiddenValues(new Set(names));
    for (const name of names) values.add(name);
    expect(values.hideIn('is "aaa"')).toBe('is "aaa"');
    expect(values.hideIn(`is "${names[7]}" now`)).toBe('is "(hidden)" now');
    expect(values.hideIn(`is ${'"aaa" '.repeat(1_000)}`)).toMatch(/^is (?:"aaa" ){100}"\(hidden\)$/);
  });
});
