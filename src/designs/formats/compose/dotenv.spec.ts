import { parseDotenv } from './dotenv.js';

function parse(text: string, inherited?: ReadonlyMap<string, string>) {
  const { values, faults } = parseDotenv({ path: '.env', bytes: new TextEncoder().encode(text) }, { inherited });
  return { values: Object.fromEntries(values), faults };
}

describe('.env files', () => {
  it('reads plain, quoted and exported values and leaves comments out', () => {
    const text = `\ufeff# comment
A=1
export B = two words # and a comment
C='single $A \\n it\\'s'
D="double $A \\n\\"x\\""
E=
F: yaml style
G="several
lines"
H=a#b`;
    expect(parse(text)).toEqual({
      values: {
        A: '1',
        B: 'two words',
        C: "single $A \\n it's",
        D: 'double 1 \n"x"',
        E: '',
        F: 'yaml style',
        G: 'several\nlines',
        H: 'a#b',
      },
      faults: [],
    });
  });

  it('interpolates from what is above and from outside, which wins', () => {
    const text = 'A=${A:-inner}\nB=$A-${C:-none}\nC\nD';
    expect(parse(text, new Map([['A', 'outer'], ['C', 'given']])).values).toEqual({ A: 'outer', B: 'outer-given', C: 'given' }); // prettier-ignore
  });

  it('says in which line something is wrong', () => {
    const { faults } = parse('A=1\nNOT A NAME=2\nB="open\n');
    expect(faults).toMatchObject([
      { file: '.env', line: 2, detail: 'is not of the form NAME=value' },
      { file: '.env', line: 3, detail: 'has no closing "' },
    ]);
  });

  it('takes raw files as they are', () => {
    const source = { path: 'raw.env', bytes: new TextEncoder().encode('A="$B" # c') };
    expect(parseDotenv(source, { format: 'raw' }).values.get('A')).toBe('"$B" # c');
  });

  it('ends variables that double line by line', () => {
    const lines = Array.from({ length: 60 }, (_, index) => `V${index + 1}=$V${index}$V${index}`);
    expect(parse(['V0=xxxxxxxxxx', ...lines].join('\n')).faults[0]?.detail).toMatch(/10 MB/);
  });
});
