import { type AppError } from '../../../core/errors/app-error.js';
import { composeFormat } from './compose-format.js';
import { composeInput, importCompose, resourcesOf } from './compose-input.fixture.js';

async function detects(content: string | Record<string, string>): Promise<boolean> {
  return composeFormat.detect(composeInput(content));
}

describe('what is a Compose file', () => {
  it.each([
    ['of the current specification', 'services: {web: {image: nginx}}'],
    ['of version 2', 'version: "2.4"\nservices: {web: {build: .}}'],
    ['of version 1', 'web: {image: nginx, ports: ["80:80"]}\ndb: {image: postgres}'],
    ['that only includes', 'include: [other.yaml]'],
    ['with faults', 'services: {web: {imagee: nginx, ports: 80}, db: null}'],
    ['of misspelt keys', 'services: {web: {imagee: nginx, prots: ["80:80"]}}'],
    ['without services', 'version: "3.8"\nvolumes: {data: {}}'],
  ])('is a file %s', async (_what, text) => {
    expect(await detects(text)).toBe(true);
  });

  it.each([
    ['a manifest', 'apiVersion: v1\nkind: Service\nservices: {a: {image: b}}'],
    ['an older design', 'name: shop\nservices: {web: {type: Deployment, settings: {}}}'],
    ['a design', 'name: shop\ncomponents: []\nservices: {}'],
    ['a CI file', 'stages: [a]\njob: {image: node, script: [ls]}'],
    ['a list of hosts', 'services: {web: {host: a.example, port: 80, weight: 3}}'],
    ['a list', '- a'],
    ['nothing', '# nothing'],
  ])('is not %s', async (_what, text) => {
    expect(await detects(text)).toBe(false);
  });

  it('is an archive with a Compose file in it', async () => {
    expect(await detects({ 'shop/compose.yaml': 'services: {a: {image: b}}', 'shop/readme.txt': '' })).toBe(true);
    expect(await detects({ 'shop/readme.txt': '' })).toBe(false);
  });
});

describe('a Compose import', () => {
  it('reads the same project from each version of the format', async () => {
    const service = 'web: {image: nginx, ports: ["8080:80"]}';
    const kinds = async (text: string) => [...resourcesOf(await importCompose(text)).keys()];
    const expected = ['Deployment/web', 'Service/web'];
    expect(await kinds(service)).toEqual(expected);
    for (const head of ['', 'version: "2"\n', 'version: "3.9"\n', 'version: 3\n', 'name: shop\n']) {
      expect(await kinds(`${head}services: {${service}}`)).toEqual(expected);
    }
  });

  it('names the design by the option, the file, the variable, the folder, or the upload, in this order', async () => {
    const text = 'services: {a: {image: b}}';
    expect((await importCompose(`name: own\n${text}`, { name: 'given' })).name).toBe('given');
    expect((await importCompose(`name: own\n${text}`)).name).toBe('own');
    expect((await importCompose(text, { env: { COMPOSE_PROJECT_NAME: 'variable' } })).name).toBe('variable');
    expect((await importCompose({ 'folder/compose.yaml': text })).name).toBe('folder');
    expect((await importCompose(text)).name).toBe('shop');
  });

  it('takes variables of env before those of .env, and warns of those that are not set', async () => {
    const files = {
      'compose.yaml': 'services: {a: {image: "$NAME:${TAG}", command: $NONE}}',
      '.env': 'NAME=nginx\nTAG=1',
    };
    const { design, warnings } = await importCompose(files, { env: { TAG: '2' } });
    expect(design.components[0]?.metadata).toMatchObject({ compose: { definition: { image: 'nginx:2' } } });
    expect(warnings).toMatchObject([
      { line: 1, column: 39, detail: 'the variable NONE is not set; it is replaced by an empty string' },
    ]);
  });

  it('refuses a file whose required variable is missing, and says how to set it', async () => {
    const text = 'services:\n  a:\n    image: nginx:${TAG:?choose a version}';
    const error = (await importCompose(text).catch((thrown: unknown) => thrown)) as AppError;
    expect(error.status).toBe(400);
    expect(error.errors).toMatchObject([
      { file: 'shop.yaml', line: 3, column: 5, detail: 'needs the variable TAG: choose a version' },
    ]);
    expect(error.errors[0]?.remedy).toContain('TAG in env');
    expect((await importCompose(text, { env: { TAG: '1' } })).warnings).toEqual([]);
  });

  it('takes the services of the profiles that are on, and keeps the others beside the components', async () => {
    const text = 'services: {web: {image: a}, debug: {image: b, profiles: [dev]}}';
    const off = await importCompose(text);
    expect([...resourcesOf(off).keys()]).toEqual(['Deployment/web']);
    expect(off.design.metadata).toMatchObject({ compose: { services: { debug: { image: 'b', profiles: ['dev'] } } } });
    expect(off.warnings[0]?.remedy).toContain('dev');
    for (const options of [{ profiles: ['dev'] }, { env: { COMPOSE_PROFILES: 'x,dev' } }, { profiles: ['*'] }]) {
      expect([...resourcesOf(await importCompose(text, options)).keys()]).toEqual([
        'Deployment/web',
        'Deployment/debug',
      ]);
    }
  });

  it('lays the override file over the main one, or the files that COMPOSE_FILE names', async () => {
    const files = {
      'compose.yaml': 'services: {a: {image: one, environment: {X: 1, Y: 1}}}',
      'compose.override.yaml': 'services: {a: {image: two, environment: [Y=2]}}',
      'prod.yaml': 'services: {a: {image: three}}',
    };
    const definition = async (env?: Record<string, string>) =>
      (await importCompose(files, { env })).design.components[0]?.metadata;
    expect(await definition()).toMatchObject({
      compose: { definition: { image: 'two', environment: { X: '1', Y: '2' } } },
    });
    expect(await definition({ COMPOSE_FILE: 'compose.yaml:prod.yaml' })).toMatchObject({
      compose: { definition: { image: 'three', environment: { X: '1', Y: '1' } } },
    });
  });

  it('is the same each time', async () => {
    const text = 'services: {a: {image: b, ports: ["80"], volumes: [data:/d]}}\nvolumes: {data: {}}';
    expect(JSON.stringify(await importCompose(text))).toBe(JSON.stringify(await importCompose(text)));
  });

  it('keeps every key of the file, with or without a counterpart in Kubernetes', async () => {
    const { design } = await importCompose(`
x-team: {mail: a@b.c}
services:
  a: {image: b, ulimits: {nofile: 1024}, logging: {driver: json-file}, x-own: [1], stop_signal: SIGINT}
networks: {front: {driver: overlay, internal: true}}`);
    expect(design.metadata).toEqual({
      compose: { networks: { front: { driver: 'overlay', internal: true } }, rest: { 'x-team': { mail: 'a@b.c' } } },
    });
    expect(design.components[0]?.metadata).toMatchObject({
      compose: {
        service: 'a',
        definition: { ulimits: { nofile: 1024 }, logging: { driver: 'json-file' }, 'x-own': [1] },
        kept: ['logging', 'stop_signal', 'ulimits', 'x-own'],
      },
    });
  });
});
