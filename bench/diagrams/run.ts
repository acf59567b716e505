import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { startDatabase } from '../support/database.js';
import { table } from '../support/load.js';
import { production, signIn, startServer } from '../support/server.js';
import { fileOf, SAMPLES } from './designs.js';

/** Imports ten real designs and two dense ones, and puts their pictures into a folder (default: dist/diagrams), as they look in light and in dark. */
const PRODUCT = import.meta.resolve('../support/product.js');
const BROWSER = process.env['CHROMIUM_BIN'] ?? '/usr/bin/chromium';
const THEMES = ['light', 'dark'] as const;

const corpus = process.env['CORPUS_DIR'];
if (!corpus) throw new Error('set CORPUS_DIR: the designs come from there');
const folder = resolve(process.argv[2] ?? 'dist/diagrams');
mkdirSync(folder, { recursive: true });

interface Picture {
  file: string;
  title: string;
}

const uploads = SAMPLES.map((sample) => ({ ...sample, file: fileOf(corpus, sample) }));
const pictures: Picture[] = [];
const rows: string[][] = [];
const database = await startDatabase();
try {
  const server = await startServer(PRODUCT, production(database.url));
  const headers = { authorization: `Bearer ${await signIn(server.url)}` };
  for (const [index, sample] of uploads.entries()) {
    const { name, bytes } = sample.file;
    const form = new FormData();
    form.set('file', new Blob([bytes]), name);
    form.set('name', sample.name);
    const imported = await fetch(`${server.url}/api/pattern/import`, { method: 'POST', headers, body: form });
    const { id, detail } = (await imported.json()) as { id?: string; detail?: string };
    if (!id) throw new Error(`${sample.path} was answered ${imported.status}: ${detail ?? ''}`);
    const began = performance.now();
    const answer = await fetch(`${server.url}/api/pattern/${id}/diagram.svg`, { headers });
    const svg = await answer.text();
    if (answer.status !== 200) throw new Error(`the picture of ${sample.path} was answered ${answer.status}: ${svg}`);
    const file = `${String(index + 1).padStart(2, '0')}.svg`;
    writeFileSync(join(folder, file), svg);
    const [, notes = ''] = /<desc[^>]*>([^<]*)</.exec(svg) ?? [];
    const size = /viewBox="0 0 (\d+) (\d+)"/.exec(svg)?.slice(1).join(' × ') ?? '';
    rows.push([sample.name, notes, size, `${Math.round(performance.now() - began)}`, `${Math.round(svg.length / 1000)}`]); // prettier-ignore
    pictures.push({ file, title: sample.name });
  }
  await server.stop();
} finally {
  await database.stop();
}
writeFileSync(join(folder, 'index.html'), page(pictures));
console.log(table(['design', 'what it shows', 'pixels', 'ms', 'kB'], rows));
if (existsSync(BROWSER)) await photograph();
else console.log(`no screenshots: there is no ${BROWSER}; set CHROMIUM_BIN`);
console.log(`\n${join(folder, 'index.html')}`);

/** Each picture as a reader sees it who prefers light, and dark. */
async function photograph(): Promise<void> {
  const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
  for (const theme of THEMES) {
    const tab = await browser.newPage({ colorScheme: theme });
    for (const { file } of pictures) {
      await tab.goto(pathToFileURL(join(folder, file)).href);
      const [width = 800, height = 600] = (await tab.locator('svg').first().getAttribute('viewBox'))?.split(' ').slice(2).map(Number) ?? []; // prettier-ignore
      await tab.setViewportSize({ width, height });
      await tab.screenshot({ path: join(folder, file.replace('.svg', `.${theme}.png`)) });
    }
    await tab.close();
  }
  await browser.close();
}

function page(all: readonly Picture[]): string {
  const rows = all.map(
    ({ file, title }) =>
      `<h2>${title}</h2>${THEMES.map((theme) => `<div style="color-scheme:${theme}"><img src="${file}" alt="${title}"></div>`).join('')}`,
  );
  return `<!doctype html><meta charset="utf-8"><title>Pictures of designs</title><style>body{font-family:sans-serif}img{max-width:100%}</style>${rows.join('\n')}\n`;
}
