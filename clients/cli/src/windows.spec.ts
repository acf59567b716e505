import { win32 } from 'node:path';
import { partOf } from './apply/export.js';
import { nameOf } from './commands/designs.js';
import { isWithin } from './folder.js';
import { parseYaml } from './yaml.js';

describe('paths of Windows', () => {
  it.each([
    ['C:\\designs\\shop.yaml', 'shop'],
    ['C:shop.tar.gz', 'shop'],
    ['..\\charts\\shop-1.2.tgz', 'shop-1.2'],
    ['C:/designs/shop.yml', 'shop'],
    ['\\\\server\\share\\shop.yaml', 'shop'],
    ['https://example.com/designs/shop.yaml?raw=1', 'shop'],
  ])('%s is a design called %s', (source, name) => {
    expect(nameOf(source, win32)).toBe(name);
  });

  it('are in a folder only on its drive and below it', () => {
    const within = (path: string): boolean => isWithin('C:\\config', path, win32);
    expect(within('C:\\config')).toBe(true);
    expect(within('c:\\Config\\secrets\\token')).toBe(true);
    expect(within('C:\\config\\..data')).toBe(true);
    expect(within('C:\\config\\..\\other')).toBe(false);
    expect(within('C:\\configuration')).toBe(false);
    expect(within('D:\\config')).toBe(false);
    expect(within('\\\\server\\share\\token')).toBe(false);
  });

  it('have no part that Windows cannot write', () => {
    expect(['a*b', 'v1.', '..', 'con', 'NUL.yaml', 'COM1', 'console', 'a:b\\c', ' '].map(partOf)).toEqual([
      'a%2Ab',
      'v1%2E',
      '%2E%2E',
      '%63on',
      '%4EUL.yaml',
      '%43OM1',
      'console',
      'a%3Ab%5Cc',
      '%20',
    ]);
  });
});

describe('line ends of Windows', () => {
  it('are no part of values', async () => {
    expect(await parseYaml('a: one\r\nb: |\r\n  two\r\n  three\r\n', 'values.yaml')).toEqual({
      a: 'one',
      b: 'two\nthree\n',
    });
  });
});
