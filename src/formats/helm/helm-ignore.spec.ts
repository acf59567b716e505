import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { requires } from '../../../test/support/requirements.js';
import { type SourceFile } from '../sources/source-file.js';
import { withoutIgnoredFiles } from './helm-ignore.js';

const PATHS =
  `Chart.yaml values.yaml README.md CHANGELOG.md a.txt b.tmp notes.bak docs/a.txt docs/deep/a.txt docs/deep/b.md tests tests.yaml
  ci/values.yaml files/ci/x.yaml templates/a.yaml templates/.hidden templates/_helpers.tpl templates/tests/a.yaml files/.dot img/[a].png
  img/b.png charts/.cache/x charts/_old/x ünï/é.txt`.split(/\s+/);

const files = (rules: string): Map<string, SourceFile> => {
  const texts = new Map(PATHS.map((path) => [path, 'a: 1\n']));
  texts.set('Chart.yaml', 'apiVersion: v2\nname: shop\nversion: 1.0.0\n').set('.helmignore', rules);
  return new Map([...texts].map(([path, text]) => [path, { path, bytes: Buffer.from(text) }]));
};
const loaded = (rules: string): string[] => [...withoutIgnoredFiles(files(rules)).keys()].sort();

it('leaves out what the rules exclude, and hidden templates', () => {
  const left = loaded('# notes\n\n*.txt\nci/\n/tests\n');
  expect(left).toEqual(
    PATHS.filter((path) => !/\.txt$|(^|\/)ci\/|^tests$|\/\.hidden$|^charts/.test(path))
      .concat('.helmignore')
      .sort(),
  );
});

it.each([
  ['a/**/b', 1, 'Helm has no "**"'],
  ['a\n# b\n[c', 3, 'is not a pattern'],
  ['a\\', 1, 'is not a pattern'],
  ['a\n'.repeat(1001), 1001, 'more than 1000 rules'],
  ['a'.repeat(256), 1, 'more than 255 characters'],
])('refuses rules that Helm refuses, and too many', (rules, line, detail) => {
  try {
    withoutIgnoredFiles(files(rules));
  } catch (error) {
    expect(error).toMatchObject({
      errors: [{ file: '.helmignore', line, detail: expect.stringContaining(detail) as string }],
    });
  }
  expect.assertions(1);
});

it('takes time in proportion to rules and paths', () => {
  const path = `${'a'.repeat(4000)}/b`;
  const hostile = new Map([
    ['.helmignore', { path: '.helmignore', bytes: Buffer.from(`${'*a'.repeat(127)}c\n`.repeat(100)) }],
    [path, { path, bytes: Buffer.from('') }],
  ]);
  const started = performance.now();
  expect(withoutIgnoredFiles(hostile).size).toBe(2);
  expect(performance.now() - started).toBeLessThan(3_000);
});

requires('HELM_BIN', 'the rules of a chart', (helm) => {
  const members = (rules: string): string[] => {
    const folder = mkdtempSync(join(tmpdir(), 'armature-ignore-'));
    try {
      for (const [path, { bytes }] of files(rules)) {
        mkdirSync(dirname(join(folder, 'shop', path)), { recursive: true });
        writeFileSync(join(folder, 'shop', path), bytes);
      }
      execFileSync(helm, ['package', 'shop'], { cwd: folder, env: { HOME: folder }, stdio: 'pipe' });
      const listed = execFileSync('tar', ['tzf', 'shop-1.0.0.tgz', '--quoting-style=literal'], { cwd: folder });
      return listed
        .toString()
        .trim()
        .split('\n')
        .map((path) => path.slice('shop/'.length))
        .sort();
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  it.each([
    '',
    '*.txt\nci/\n',
    '/a.txt\n/docs/*.txt',
    'docs/*',
    'docs/deep/',
    'docs',
    '*.[tm]??',
    '*.[^t]*',
    'img/\\[a\\].png',
    '!*.yaml',
    '!docs/\n',
    '!values.yaml\n',
    'tests',
    'tests/',
    '?.txt',
    '[a-b].t*',
    '*é*',
    '\ufeff*.md',
    '*/ci/*',
    '/',
    'ci/ \n  # x\n *.bak ',
    '.*',
    'templates/*\n',
  ])('exclude what Helm excludes: %j', (rules) => {
    // A chart cannot be packed without its head, nor are other files compared when it is gone.
    if (!loaded(rules).includes('Chart.yaml')) expect(() => members(rules)).toThrow();
    else expect(loaded(rules)).toEqual(members(rules));
  });
});
