import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { requires } from './support/requirements.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['scripts/build-pages.mjs', 'reference']);
  world = await World.start({ CONSOLE: 'off' });
}, 120_000);
afterAll(() => world.stop());

it('is where the first page leads where the console is off', async () => {
  const { status, headers } = await fetch(`${world.baseUrl}/`, { redirect: 'manual' });
  expect({ status, location: headers.get('location') }).toEqual({ status: 302, location: 'api/docs' });
  const accept = 'text/html';
  expect((await fetch(`${world.baseUrl}/designs`, { headers: { accept } })).status).toBe(404);
});

it('is a page with files of this server only, which no page may frame', async () => {
  for (const path of ['/api/docs', '/api/docs/']) {
    const response = await fetch(world.baseUrl + path);
    expect(response.status).toBe(200);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'self'; .*frame-ancestors 'none'/);
    expect(policy).not.toMatch(/https?:|unsafe-eval|script-src|connect-src/);
    const script = /src="([^"]+)"/.exec(await response.text())?.[1] ?? '';
    const file = await fetch(new URL(script, world.baseUrl + path));
    expect({ status: file.status, cache: file.headers.get('cache-control') }).toEqual({
      status: 200,
      cache: 'public, max-age=31536000, immutable',
    });
  }
  expect((await world.stranger.get('/api/docs/..%2f.key')).status).toBe(404);
});

requires('CHROMIUM_BIN', 'in a browser', (executablePath) => {
  let browser: Browser;
  let page: Page;
  const asked: string[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  }, 150_000);
  afterAll(() => browser.close());
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    // The page renders hundreds of operations, which takes long on a busy machine.
    page.setDefaultTimeout(90_000);
    page.on('request', (request) => void asked.push(request.url()));
  });
  afterEach(() => page.close());

  const open = (fragment = ''): Promise<unknown> => page.goto(`${world.baseUrl}/api/docs${fragment}`);
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });

  /** Whether it stands where the reader looks, once the page has scrolled. */
  async function isVisible(target: Locator): Promise<boolean> {
    for (let tries = 0; tries < 50; tries++) {
      const top = (await target.boundingBox())?.y ?? -1;
      if (top >= 0 && top < 900) return true;
      await page.waitForTimeout(100);
    }
    return false;
  }

  it('begins with the main job, whose steps lead to their operations, folds deprecated paths away, and finds operations by words', async () => {
    await page.goto(world.baseUrl);
    await heading('The main job').waitFor();
    expect(new URL(page.url()).pathname).toBe('/api/docs');
    const text = await page.locator('body').innerText();
    const places = ['Main job', 'connections', 'deployments', 'Identity and access', 'Registry', 'deprecated paths'];
    expect(places.map((each) => text.indexOf(each))).toEqual(
      places.map((each) => text.indexOf(each)).sort((a, b) => a - b),
    );
    // Deprecated paths are listed once; their operations are not shown.
    const deprecated = page.getByText('/api/registry/registrants');
    await deprecated.waitFor({ state: 'attached' });
    expect(await deprecated.count()).toBe(1);
    await page.getByRole('link', { name: 'Import a design' }).first().click();
    await heading('Import a design').waitFor();
    expect(new URL(page.url()).hash).toBe('#tag/designs/importDesign');
    await page.keyboard.press('Control+k');
    const search = page.getByRole('dialog', { name: 'Reference Search' });
    await search.getByRole('combobox').fill('cancel deployment');
    await search.getByText('/api/deployments/{id}/cancel').click();
    await heading('Cancel a deployment').waitFor();
  }, 150_000);

  it('opens at the operation that its address names', async () => {
    await open('#tag/deployments/rollBackDeployment');
    await heading('Roll back a deployment').waitFor();
    await expect(isVisible(heading('Roll back a deployment'))).resolves.toBe(true);
  }, 150_000);

  it('opens the deprecated paths where its address names them', async () => {
    await open('#tag/deprecated-paths');
    await page.getByText('/api/registry/registrants').nth(1).waitFor({ state: 'attached' });
  }, 150_000);

  it('uploads a file with a token, says where tokens come from, and keeps none', async () => {
    await open('#tag/designs/importDesign');
    await heading('Import a design').waitFor();
    await page.getByRole('button', { name: /Test Request.*\/api\/pattern\/import/ }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.innerText()).toContain('POST /api/auth/login');
    await dialog.getByPlaceholder('Token').fill(world.admin.token ?? '');
    const chosen = page.waitForEvent('filechooser');
    await dialog.getByRole('button', { name: 'Select File' }).first().click();
    const buffer = Buffer.from('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: tried}\n');
    await (await chosen).setFiles({ name: 'tried-out.yaml', mimeType: 'application/yaml', buffer });
    await dialog.getByText('tried-out.yaml').nth(1).waitFor();
    const send = async () => {
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await dialog.getByRole('button', { name: /^Send/ }).first().click();
      return answered;
    };
    let answer = await send();
    // The page takes a file over a moment after it shows its name; until then it sends a form without content.
    for (let tries = 1; tries < 4 && answer.status() === 400; tries++) {
      await page.waitForTimeout(1_000);
      answer = await send();
    }
    const { name, type, detail } = await answer.json();
    expect({ status: answer.status(), name, type: type?.String, detail }).toEqual({
      status: 201,
      name: 'tried-out',
      type: 'kubernetes',
      detail: undefined,
    });
    const kept = await page.evaluate<unknown[]>(
      'indexedDB.databases().then((databases) => [{ ...localStorage, ...sessionStorage }, document.cookie, databases])',
    );
    expect(JSON.stringify(kept)).not.toContain(world.admin.token);
    expect(kept.slice(1)).toEqual(['', []]);
    await page.reload();
    await heading('Import a design').waitFor();
    expect(await page.locator('body').innerText()).not.toContain(world.admin.token);
  }, 150_000);

  it('has asked no other server', () => {
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.filter((url) => !url.startsWith(world.baseUrl) && !/^(data|blob):/.test(url))).toEqual([]);
  });
});
