import { parseBytes, toCpuQuantity, toMemoryQuantity, parseSeconds } from './quantities.js';
import { splitShellWords } from './shell-words.js';

describe('quantities', () => {
  it.each([
    [512, 512],
    ['10k', 10_240],
    ['1.5 GB', 1_610_612_736],
    ['64MiB', 67_108_864],
    ['7b', 7],
    ['', undefined],
    ['ten', undefined],
    ['-1', undefined],
  ])('reads the size %j as %j bytes', (size, bytes) => {
    expect(parseBytes(size)).toBe(bytes);
  });

  it.each([
    ['1m30s', 90],
    ['1.5h', 5400],
    ['500ms', 0.5],
    ['0', 0],
    ['30', undefined],
    ['', undefined],
  ])('reads the duration %j as %j seconds', (duration, seconds) => {
    expect(parseSeconds(duration)).toBe(seconds);
  });

  it('writes quantities in the largest unit that fits', () => {
    expect([536_870_912, 1024, 1000, 2 * 1024 ** 3].map(toMemoryQuantity)).toEqual(['512Mi', '1Ki', '1000', '2Gi']);
    expect([0.5, 2, 0.0001].map(toCpuQuantity)).toEqual(['500m', '2', '1m']);
  });
});

describe('commands', () => {
  it.each([
    ['nginx -g "daemon off;"', ['nginx', '-g', 'daemon off;']],
    [`sh -c 'echo "a b"' ''`, ['sh', '-c', 'echo "a b"', '']],
    ['a\\ b "c\\"d" e\\\\', ['a b', 'c"d', 'e\\']],
    ['  ', []],
    ['"open', undefined],
  ])('splits %s as a shell does', (command, words) => {
    expect(splitShellWords(command)).toEqual(words);
  });
});
