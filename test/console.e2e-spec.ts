import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { sharedCluster } from './support/cluster.js';
import type { Json, Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { PASSWORD } from './support/settings.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';

const BUNDLE = 'dist/console';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
/** Pictures of all screens are written here, where it is set. */
const PICTURES = process.env['CONSOLE_PICTURES'];
/** Names that somebody chose to do harm, or that are only unusual. */
const HOSTILE = '<img src=x onerror=alert(1)>{{base}}';
const LONG = 'w'.repeat(253);
const ARABIC = 'متجر الإنتاج';

const run = promisify(execFile);

let world: World;
/** Browsers reach the server below a path. */
let proxy: Awaited<ReturnType<typeof startProxy>>;
beforeAll(async () => {
  await run(process.execPath, ['console/scripts/build.mjs', BUNDLE]);
  proxy = await startProxy();
  const issuer = { OIDC_ISSUER: 'https://login.example.org', OIDC_AUDIENCE: 'armature', OIDC_CLIENT_ID: 'console' };
  world = await World.start({ BASE_URL: proxy.url, ...issuer });
  proxy.serve(world.baseUrl);
}, 120_000);
afterAll(async () => {
  await world.stop();
  proxy.stop();
});

const read = async (path: string, headers: Record<string, string> = HTML, method = 'GET') => {
  const response = await fetch(world.baseUrl + path, { headers, method });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

it('is one page at all addresses that no program has, under a policy without inline code and foreign hosts', async () => {
  for (const path of ['/', '/designs/0190', '/deployments/0190/plan', '/nothing/of/the/kind']) {
    const { status, headers, text } = await read(path);
    expect({ path, status, cache: headers.get('cache-control') }).toEqual({ path, status: 200, cache: 'no-cache' });
    expect(headers.get('vary')).toContain('Accept');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/);
    expect(policy).not.toMatch(/unsafe|http|\*/);
    const script = /<script type="module" src="([^"]+)"/.exec(text)?.[1] ?? '';
    const file = await fetch(new URL(script, world.baseUrl + path));
    expect({ status: file.status, cache: file.headers.get('cache-control') }).toEqual({
      status: 200,
      cache: 'public, max-age=31536000, immutable',
    });
  }
  const programs = [
    '/api/nothing',
    '/docs/nothing',
    '/download/nothing',
    '/healthz/nothing',
    '/metrics/x',
    '/.well-known/x',
  ];
  for (const path of [...programs, '/console/index-OLD.js', '/console/..%2findex.html']) {
    const { status, headers } = await read(path);
    expect({ path, status, type: headers.get('content-type') }).toMatchObject({
      path,
      status: 404,
      type: expect.stringContaining('application/problem+json'),
    });
  }
  for (const accept of ['application/json', '*/*'])
    expect(await read('/designs', { accept })).toMatchObject({ status: 404, text: expect.stringContaining('"code"') });
  expect((await read('/designs', HTML, 'POST')).status).toBe(404);
});

it('has at most 150 kB to load, for all screens together, and the licences of what is in it', () => {
  const files = readdirSync(BUNDLE);
  const sizes = files.map((name) => gzipSync(readFileSync(join(BUNDLE, name))).length);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(150_000);
  const notices = files.find((name) => /^licences-.*\.txt$/.test(name)) ?? '';
  expect(readFileSync(join(BUNDLE, notices), 'utf8')).toMatch(/preact 11/);
});

requires('CHROMIUM_BIN', 'in a browser', (executablePath) => {
  let browser: Browser;
  const open: BrowserContext[] = [];
  /** Violations of the policy, errors of scripts and failed assertions of pages. */
  const complaints: string[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  }, 150_000);
  afterEach(async () => {
    for (const context of open.splice(0)) await context.close();
  });
  afterAll(async () => {
    await browser.close();
    expect(complaints).toEqual([]);
  });

  async function newPage(options: { width?: number; scheme?: 'light' | 'dark' } = {}): Promise<Page> {
    const { width = 1280, scheme = 'light' } = options;
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: scheme,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    open.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => void complaints.push(String(error)));
    page.on('dialog', (dialog) => {
      complaints.push(`a script of a name ran: ${dialog.message()}`);
      void dialog.dismiss();
    });
    return page;
  }

  async function signIn(page: Page, { email }: Person, path = '/'): Promise<void> {
    await page.goto(proxy.url + path);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  }

  const pathOf = (page: Page): string => page.url().slice(proxy.url.length);
  const titled = (page: Page, name: string | RegExp): Promise<void> =>
    page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

  /** One main region, one heading of level 1, no finding of axe, and nothing wider than the screen. */
  async function inspect(page: Page, screen: string): Promise<void> {
    while ((await page.getByText('Loading…').count()) > 0) await page.waitForTimeout(50);
    const [mains, headings, width] = await page.evaluate<number[]>(
      '[document.querySelectorAll("main").length, document.querySelectorAll("h1").length, document.documentElement.scrollWidth - innerWidth]',
    );
    expect({ screen, mains, headings, wider: (width ?? 0) > 0 }).toEqual({
      screen,
      mains: 1,
      headings: 1,
      wider: false,
    });
    const findings = await page.evaluate<string[]>(
      `${AXE}; axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
        .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => id + ' ' + html.slice(0, 200) + ' ' + any.map(({ message }) => message).join())))`,
    );
    expect({ screen, findings }).toEqual({ screen, findings: [] });
  }

  async function picture(page: Page, screen: string, width: number, scheme: string): Promise<void> {
    if (!PICTURES) return;
    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ path: join(PICTURES, `${screen}-${width}-${scheme}.png`), fullPage: false });
  }

  it('shows no more what a role that was taken away allowed', async () => {
    const body = { name: 'left', organization_id: world.organization };
    const { id } = await done(world.admin.post('/api/workspaces', body));
    const person = await world.person();
    await done(world.admin.put(`/api/workspaces/${id}/members/${person.id}`, { role: 'viewer' }));
    const page = await newPage();
    const opened = page.waitForResponse((response) => response.url().includes('/api/events/stream'));
    await signIn(page, person, `/workspaces/${id}`);
    await titled(page, 'left');
    await opened;
    await world.admin.delete(`/api/workspaces/${id}/members/${person.id}`);
    await page.getByText('Not found: it was deleted, or it is not for your eyes.').first().waitFor();
    expect(await page.getByRole('heading', { name: 'left' }).count()).toBe(0);
  });

  it('shows the sign-in at each address, and then what the address is of', async () => {
    const page = await newPage();
    await page.goto(`${proxy.url}/account?tab=1`);
    await titled(page, 'Sign in');
    await inspect(page, 'sign-in');
    const atIssuer = page.getByRole('link', { name: 'Sign in with login.example.org' });
    expect(await atIssuer.getAttribute('href')).toBe(
      `${new URL(proxy.url).pathname}/api/auth/console/oidc/start?return=%2Faccount%3Ftab%3D1`,
    );
    await page.goto(`${proxy.url}/account`);
    await picture(page, 'sign-in', 1280, 'light');
    await page.getByLabel('Email').fill(world.admin.email);
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await titled(page, 'Account');
    expect(pathOf(page)).toBe('/account');
    // Neither storage nor address has a token; the cookie continues the session after a reload.
    const stored = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.cookie])');
    expect(stored).not.toMatch(/eyJ|token/);
    await page.reload();
    await titled(page, 'Account');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await titled(page, 'Sign in');
    await page.reload();
    await titled(page, 'Sign in');
  }, 60_000);

  it('is used by keys: search, designs, help, and none while one types', async () => {
    const page = await newPage();
    await signIn(page, world.admin);
    await titled(page, 'Needs attention');
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Keys' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Search');
    await page.keyboard.type('gd?');
    await page.waitForTimeout(300);
    expect(pathOf(page)).toBe('/');
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await titled(page, 'Designs');
    // Whoever listens hears the new screen, because its heading has the focus.
    await page.locator('h1:focus').waitFor();
  }, 60_000);

  it('keeps what was typed when a session ends, and goes on after signing in again', async () => {
    const page = await newPage();
    await signIn(page, world.admin, '/account');
    await page.getByLabel('Name of the token').fill('typed before');
    // Another page of this person signs out.
    await page.evaluate("fetch('api/auth/console/session', { method: 'DELETE' })");
    await page.getByRole('button', { name: 'Make token' }).click();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await inspect(page, 'signed out');
    await page.getByLabel('Email').fill(world.admin.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('It is shown only now').waitFor();
    await page.getByRole('cell', { name: 'typed before' }).waitFor();
  }, 60_000);

  it('copies calls that a shell runs as they were typed', async () => {
    const page = await newPage();
    await signIn(page, world.admin, '/account');
    const name = `it's "quoted" $(touch /tmp/armature-ran) \\ ${ARABIC} ${HOSTILE}`;
    await page.getByLabel('Name of the token').fill(name);
    await page.getByRole('form', { name: 'New token' }).getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Copied').waitFor();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(command).not.toMatch(/eyJ|\n/);
    const { stdout } = await run('sh', ['-c', command], {
      env: { ...process.env, ARMATURE_TOKEN: world.admin.token ?? '' },
    });
    expect(JSON.parse(stdout)).toMatchObject({ name, scopes: ['read'] });
    expect(existsSync('/tmp/armature-ran')).toBe(false);
  }, 60_000);

  it('says when the server has a newer version of it', async () => {
    const page = await newPage();
    await signIn(page, world.admin);
    await page.route('**/console/members-*.js', (route) => route.fulfill({ status: 404 }));
    await page.route(`${proxy.url}/`, (route) => route.fulfill({ contentType: 'text/html', body: '<p>newer</p>' }));
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByText('The server has a newer version of this console').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('table', { name: 'Members' }).waitFor();
  }, 60_000);

  requires('KUBEBUILDER_ASSETS', 'and a cluster', () => {
    const namespace = `console-${randomUUID().slice(0, 8)}`;
    let kubeconfig: string;
    let deployed: string;
    let workspace: Json;
    let environment: Json;
    let waiting: Json;
    let second: Person;
    let design: Json;
    beforeAll(async () => {
      ({ kubeconfig } = await sharedCluster());
    }, 60_000);

    it('leads from the first start to the first deployment in three steps', async () => {
      const page = await newPage();
      await signIn(page, world.admin);
      await page.getByText('The first deployment, in three steps').waitFor();
      await inspect(page, 'first start');
      await picture(page, 'first-start', 1280, 'light');
      await page.getByLabel('Or its text').fill(kubeconfig);
      await page.getByRole('button', { name: 'Register cluster' }).click();
      await page.getByText('connected').first().waitFor();
      await page.getByRole('button', { name: 'Use the example' }).click();
      await page.getByRole('button', { name: 'Plan hello' }).click();
      await titled(page, 'hello');
      await page.getByLabel('Namespace').fill(namespace);
      await page.getByRole('button', { name: 'Plan', exact: true }).click();
      await page.getByRole('heading', { name: 'Changes' }).waitFor();
      await page.getByRole('button', { name: 'Deploy', exact: true }).click();
      await page.waitForURL(/\/deployments\/[^/]+$/);
      deployed = pathOf(page);
      await titled(page, 'hello');
      // Without a reload: events tell of its end.
      await page.getByRole('main').getByText('succeeded', { exact: true }).waitFor();
      const table = page.getByRole('table', { name: 'Resources' });
      const headers = await table.getByRole('columnheader').allInnerTexts();
      expect(headers.slice(0, 5)).toEqual(['Kind', 'Name', 'Namespace', 'Health', 'Drift']);
      expect(await table.getByRole('row').count()).toBe(1 + 4);
      await page.getByText('in sync').first().waitFor();
      // Simulated nodes run nothing that writes.
      const body = 'a line with <b>markup</b>';
      await page.route('**/logs?*', (route) => route.fulfill({ contentType: 'text/plain', body }));
      await page.getByRole('button', { name: 'Read logs' }).click();
      await page.getByRole('region', { name: 'Logs' }).getByText(body).waitFor();
      await page.getByRole('link', { name: 'Workspace' }).click();
      const matrix = page.getByRole('table', { name: 'Designs and environments' });
      await matrix.getByRole('link', { name: 'version 1' }).waitFor();
      expect(await matrix.getByRole('columnheader').allInnerTexts()).toEqual(['Design', 'development']);
    }, 120_000);

    it('lets a second person in a second browser approve what the first one requested', async () => {
      const { admin, organization } = world;
      const body = { organization_id: organization };
      workspace = await done(admin.post('/api/workspaces', { ...body, name: HOSTILE }));
      environment = await done(admin.post('/api/environments', { ...body, name: ARABIC, required_approvals: 2 }));
      const clusters = await done(
        admin.get(`/api/integrations/connections?orgID=${organization}&filter={"kind":"kubernetes"}`),
      );
      await done(admin.post(`/api/environments/${environment.id}/connections/${clusters.connections[0].id}`));
      await done(admin.post(`/api/workspaces/${workspace.id}/environments/${environment.id}`));
      second = await world.person();
      await done(admin.put(`/api/workspaces/${workspace.id}/members/${second.id}`, { role: 'admin' }));
      const manifest = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${LONG.slice(0, 200)}}\ndata: {a: "<b>bold</b>"}\n`;
      const pattern = { name: LONG, workspace_id: workspace.id, pattern_data: { pattern_file: manifest } };
      design = await done(admin.post('/api/pattern', pattern));
      const page = await newPage();
      await signIn(page, admin, `/designs/${design.id}`);
      await titled(page, LONG);
      await page.getByLabel('Namespace').fill(namespace);
      await page.getByRole('button', { name: 'Plan', exact: true }).click();
      await page.getByRole('button', { name: 'Deploy', exact: true }).click();
      await page.getByLabel('Reason').fill(`It's "needed"; $(reboot) <script>alert(2)</script>`);
      await page.getByRole('button', { name: 'Request approval' }).click();
      await page.waitForURL(/\/deployments\/[^/]+\/plan$/);
      waiting = { path: pathOf(page) };
      // One's own request has no button but the cause.
      await page.getByText('you requested it yourself').waitFor();
      expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
      const other = await newPage();
      await signIn(other, second);
      const row = other.getByRole('table', { name: 'In all workspaces' }).getByRole('row', { name: 'approval' });
      await row.getByRole('link', { name: LONG }).click();
      await other.getByRole('heading', { name: 'Changes' }).waitFor();
      expect(pathOf(other)).toBe(waiting.path);
      await other.getByText(`It's "needed"; $(reboot)`).waitFor();
      await other.getByLabel('Reason').fill("looks 'fine'; rm -rf $HOME");
      await other.getByRole('button', { name: 'Copy as curl' }).click();
      const command = await other.evaluate<string>('navigator.clipboard.readText()');
      expect(command).toContain(String.raw`'{"reason":"looks '\''fine'\''; rm -rf $HOME"}'`);
      expect(command).toContain('"Authorization: Bearer $ARMATURE_TOKEN"');
      await inspect(other, 'plan');
      await other.getByRole('button', { name: 'Approve' }).click();
      await other.waitForURL(/\/deployments\/[^/]+$/);
      await other.getByRole('main').getByText('succeeded', { exact: true }).waitFor();
      // The first one sees it happen.
      await page.getByText('Approve or reject: it is succeeded').waitFor();
    }, 120_000);

    it('shows what is on a cluster and would become designs, and keeps nothing of it', async () => {
      const page = await newPage();
      await signIn(page, second, `/workspaces/${workspace.id}/import`);
      await page.getByText('From a cluster').click();
      await page.getByLabel('Namespaces').fill(namespace);
      await page.getByRole('button', { name: 'Show what it would be' }).click();
      // All of it is of a design already.
      await page.getByText(/\d+ left out/).click();
      const table = page.getByRole('table', { name: 'Left out' });
      await table.getByRole('row', { name: 'Service hello OWNED_HERE' }).waitFor();
      await inspect(page, 'import from a cluster');
    }, 60_000);

    it('shows a file as it was read before it is kept', async () => {
      const page = await newPage();
      await signIn(page, second, `/workspaces/${workspace.id}/import`);
      const compose = 'services:\n  web:\n    image: nginx:1.27\n    ports: ["8080:80"]\n';
      const files = page.locator('input[type=file]');
      await files.first().waitFor();
      expect(await files.count()).toBe(1);
      await files.setInputFiles({ name: 'front.yaml', mimeType: 'text/yaml', buffer: Buffer.from(compose) });
      await page.getByRole('main').getByText('docker-compose').waitFor();
      const kept = async () =>
        (await done(world.admin.get(`/api/pattern?orgID=${world.organization}&workspace_id=${workspace.id}`)))
          .total_count as number;
      const before = await kept();
      await page.getByRole('button', { name: 'Import' }).click();
      await titled(page, 'front');
      expect(await kept()).toBe(before + 1);
    }, 60_000);

    it('finds designs, deployments and places by name, and keeps favourites', async () => {
      const page = await newPage();
      await signIn(page, world.admin);
      await page.keyboard.press('/');
      await page.getByLabel('Search').fill('hello');
      const found = page.getByRole('search').getByRole('link');
      await found.filter({ hasText: 'deployment' }).waitFor();
      await page.keyboard.press('Enter');
      await titled(page, 'hello');
      expect(pathOf(page)).toMatch(/^\/designs\//);
      expect(await found.count()).toBe(0);
      await page.getByRole('button', { name: 'Favourite', pressed: false }).click();
      await page.getByRole('button', { name: 'Favourite', pressed: true }).waitFor();
      await page.getByRole('link', { name: 'Needs attention' }).click();
      await page.getByRole('main').getByRole('link', { name: 'hello' }).last().click();
      await titled(page, 'hello');
    }, 60_000);

    it('has screens without findings, light and dark, narrow and wide, and of names that are only text', async () => {
      const { organization } = world;
      const screens = {
        attention: '/',
        designs: '/designs',
        design: `/designs/${design.id}`,
        deployment: deployed,
        plan: waiting.path as string,
        workspace: `/workspaces/${workspace.id}`,
        import: `/workspaces/${workspace.id}/import`,
        environment: `/environments/${environment.id}`,
        connections: `/organizations/${organization}/connections`,
        members: `/organizations/${organization}/members`,
        notifications: '/notifications',
        account: '/account',
        'not-found': '/nothing/here',
      };
      for (const [width, scheme] of [
        [1280, 'light'],
        [400, 'dark'],
        ...(PICTURES
          ? ([
              [1280, 'dark'],
              [400, 'light'],
            ] as const)
          : []),
      ] as const) {
        const page = await newPage({ width, scheme });
        await signIn(page, world.admin);
        for (const [screen, path] of Object.entries(screens)) {
          await page.goto(proxy.url + path);
          await page.getByRole('heading', { level: 1 }).waitFor();
          await page.getByRole('button', { name: 'Sign out' }).waitFor();
          await inspect(page, `${screen} ${width} ${scheme}`);
          await picture(page, screen, width, scheme);
        }
      }
    }, 300_000);
  });

  describe('with many designs', () => {
    it('is silent at rest, and all tabs share one stream of events', async () => {
      const page = await newPage();
      const context = page.context();
      const calls: string[] = [];
      context.on('request', (each) => {
        if (each.url().includes('/api/')) calls.push(each.url().slice(proxy.url.length));
      });
      await signIn(page, world.admin, '/designs');
      await titled(page, 'Designs');
      const tab = await context.newPage();
      await tab.goto(`${proxy.url}/designs`);
      await titled(tab, 'Designs');
      await page.waitForTimeout(1_500);
      expect(calls.filter((each) => each.startsWith('/api/events/stream'))).toHaveLength(1);
      calls.length = 0;
      await page.waitForTimeout(3_000);
      expect(calls).toEqual([]);
      // The tab without a stream is told as well.
      const pattern_data = { pattern_file: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n' };
      await done(world.admin.post('/api/pattern', { name: 'just made', pattern_data }));
      for (const each of [page, tab]) await each.getByRole('link', { name: 'just made' }).waitFor();
      // When the tab that has the stream is closed, another one goes on.
      await page.close();
      await done(world.admin.post('/api/pattern', { name: 'made later', pattern_data }));
      await tab.getByRole('link', { name: 'made later' }).waitFor();
    }, 60_000);

    it('waits out a rate limit and an absent server visibly', async () => {
      const page = await newPage();
      await signIn(page, world.admin);
      let refusals = 1;
      await page.route('**/api/pattern?*', (route) =>
        refusals-- > 0
          ? route.fulfill({
              status: 429,
              headers: { 'Retry-After': '2', 'Content-Type': 'application/problem+json' },
              body: JSON.stringify({ code: 'RATE_LIMITED', status: 429, detail: 'too many', request_id: 'x' }),
            })
          : route.continue(),
      );
      await page.getByRole('link', { name: 'Designs' }).click();
      await page.getByText('The rate limit is reached').waitFor();
      await page.getByRole('table', { name: 'Designs' }).waitFor();
      await page.getByText('The rate limit is reached').waitFor({ state: 'hidden' });
      await page.getByLabel('Name of a design').fill('just');
      await page.context().setOffline(true);
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByText('The server cannot be reached').waitFor();
      await page.context().setOffline(false);
      await page.getByText('The server cannot be reached').waitFor({ state: 'hidden' });
      await page.getByRole('table', { name: 'Designs' }).waitFor();
    }, 60_000);

    it('goes through long lists a page at a time', async () => {
      const pattern_data = { pattern_file: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n' };
      for (let i = 0; i < 52; i++) await done(world.admin.post('/api/pattern', { name: `many ${i}`, pattern_data }));
      const page = await newPage();
      await signIn(page, world.admin, '/designs');
      const rows = page.getByRole('table', { name: 'Designs' }).getByRole('row');
      await rows.first().waitFor();
      expect(await rows.count()).toBe(1 + 50);
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('Page 2').waitFor();
      await page.getByRole('link', { name: 'many 0', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Previous page' }).click();
      await page.getByRole('link', { name: 'many 51', exact: true }).waitFor();
    }, 60_000);
  });
});

/** A proxy that serves a server below a path; the server is told of it afterwards. */
async function startProxy() {
  let target = '';
  const proxy = createServer((incoming, outgoing) => {
    const path = incoming.url?.replace(/^\/armature/, '') ?? '';
    const passed = request(target + path, { method: incoming.method, headers: incoming.headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/armature`,
    serve: (url: string) => void (target = url),
    stop: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
