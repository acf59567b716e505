import { escapeDollars, InterpolationError, Interpolator } from './interpolation.js';

const variables = new Map([
  ['SET', 'value'],
  ['EMPTY', ''],
  ['OTHER', 'other'],
]);

function interpolate(text: string): string {
  return new Interpolator(variables).interpolate(text);
}

describe('interpolation', () => {
  it.each([
    ['$SET/$OTHER', 'value/other'],
    ['${SET}s', 'values'],
    ['$$SET and $$${SET}', '$SET and $value'],
    ['${UNSET:-a}${EMPTY:-b}${SET:-c}', 'abvalue'],
    ['${UNSET-a}${EMPTY-b}${SET-c}', 'avalue'],
    ['${UNSET:+a}${EMPTY:+b}${SET:+c}', 'c'],
    ['${UNSET+a}${EMPTY+b}${SET+c}', 'bc'],
    ['${UNSET:-${EMPTY:-${SET}}}!', 'value!'],
    ['${UNSET:-$OTHER-$$}', 'other-$'],
    ['${SET:?must be set}', 'value'],
    ['${SET:-${NEEDED:?never asked}}', 'value'],
    ['echo $(date) $1 $', 'echo $(date) $1 $'],
    ['${UNSET:-http://a:80/?q=1}', 'http://a:80/?q=1'],
  ])('turns %s into %s', (text, expected) => {
    expect(interpolate(text)).toBe(expected);
  });

  it.each(['${', '${}', '${ SET}', '${SET', '${SET!}', '${UNSET:-${OTHER}'])('refuses %s', (text) => {
    expect(() => interpolate(text)).toThrow(InterpolationError);
  });

  it.each(['${UNSET:?say why}', '${UNSET?say why}', '${EMPTY:?say why}'])('reports why %s is needed', (text) => {
    expect(() => interpolate(text)).toThrow(/needs the variable \w+: say why/);
  });

  it('remembers the variables that are not set', () => {
    const interpolator = new Interpolator(variables);
    interpolator.interpolate('$ONE ${TWO} ${THREE:-3} ${SET:-$FOUR}');
    expect([...interpolator.unset]).toEqual(['ONE', 'TWO']);
  });

  it('ends expressions that nest without end, and values that grow without end', () => {
    expect(() => interpolate('${A:-'.repeat(5000) + '}'.repeat(5000))).toThrow(/nested deeper/);
    const large = new Interpolator(new Map([['A', 'x'.repeat(1_000_000)]]));
    expect(() => large.interpolate('$A'.repeat(50))).toThrow(/10 MB/);
  });

  it('writes text so that it interpolates to itself', () => {
    expect(interpolate(escapeDollars('$SET ${SET} $$'))).toBe('$SET ${SET} $$');
  });
});
