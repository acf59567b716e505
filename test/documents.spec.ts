import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

/** Every page, with its text. */
const pages = ['README.md', 'CHANGELOG.md', ...listPages('docs'), ...listPages('clients')].map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));

/** Files below these folders, and whatever path stands in back-ticks; a pattern or a placeholder is no path. */
const PATH =
  /`((?:\.ci|src|test|docs|bench|scripts|docker|deploy|clients|console)\/[\w./-]+)`|(?<![\w./-])((?:src|test|docs|bench|scripts|docker)\/[\w./-]+\.(?:ts|mjs|json|sql|md))\b/g;
const SCRIPT = /npm run ([\w:-]+)/g;
const LINK = /\]\(([^)\s]+)\)/g;

const decisions = readdirSync(join(root, 'docs/decisions')).filter((file) => file !== 'README.md');

describe('the documents', () => {
  it('link to pages and headings that exist', () => {
    const broken = pages.flatMap(({ path, text }) =>
      [...withoutCode(text).matchAll(LINK)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target) && !isFound(path, target))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('name files and scripts that exist', () => {
    const gone = pages.flatMap(({ path, text }) => [
      ...[...text.matchAll(PATH)]
        .map(([, quoted, plain]) => quoted ?? plain ?? '')
        .filter((name) => !existsSync(join(root, name)))
        .map((name) => `${path}: ${name}`),
      ...[...text.matchAll(SCRIPT)]
        .map(([, name = '']) => name)
        .filter((name) => !(name in scripts))
        .map((name) => `${path}: npm run ${name}`),
    ]);
    expect(gone).toEqual([]);
  });

  it('show a recording of the commands that the README has', () => {
    const readme = pages.find(({ path }) => path === 'README.md')?.text ?? '';
    const chapter = readme.slice(readme.indexOf('\n## The main job'));
    const [commands = ''] = /\.\/armature login [^]*?(?=```)/.exec(chapter) ?? [];
    const recording = readFileSync(join(root, 'docs/main-job.svg'), 'utf8');
    const shown = [...recording.matchAll(/<tspan class="bold">(\.\/armature [^<]*)<\/tspan>/g)].map(([, text]) => text);
    expect(shown).toEqual(commands.trim().split('\n'));
    expect(shown.length).toBe(5);
  });

  it('number decisions without gaps, each with a status and a date, in the index', () => {
    const index = readFileSync(join(root, 'docs/decisions/README.md'), 'utf8');
    expect(decisions.map((file) => Number(file.slice(0, 4)))).toEqual(decisions.map((_, at) => at + 1));
    for (const file of decisions) {
      const text = readFileSync(join(root, 'docs/decisions', file), 'utf8');
      expect({ file, status: /^- Status: (accepted|superseded by \d{4})$/m.test(text) }).toEqual({
        file,
        status: true,
      });
      expect({ file, date: /^- Date: \d{4}-\d{2}-\d{2}$/m.test(text) }).toEqual({ file, date: true });
      expect(index).toContain(`(${file})`);
    }
  });
});

function listPages(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(folder, name));
}

function isFound(page: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? join(root, page) : resolve(root, dirname(page), file);
  if (!existsSync(path) || relative(root, path).startsWith('..')) return false;
  return anchor === undefined || !path.endsWith('.md') || headings(readFileSync(path, 'utf8')).includes(anchor);
}

/** The anchors of a page, as GitHub makes them. */
function headings(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
}

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '');
