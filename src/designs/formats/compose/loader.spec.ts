import { type AppError, type Fault } from '../../../core/errors/app-error.js';
import { importCompose } from './compose-input.fixture.js';

async function definitions(files: string | Record<string, string>): Promise<Record<string, unknown>> {
  const { design } = await importCompose(files);
  const kept = design.components.map(({ metadata }) => metadata.compose as { service: string; definition?: unknown });
  return Object.fromEntries(
    kept.filter(({ definition }) => definition).map(({ service, definition }) => [service, definition]),
  );
}

async function faults(files: string | Record<string, string>): Promise<Fault[]> {
  const error = await importCompose(files).catch((thrown: unknown) => thrown);
  return (error as AppError).errors;
}

describe('extends', () => {
  it('lays a service over one of the same file', async () => {
    const found = await definitions(`
services:
  base: {image: one, command: sleep 1, ports: ["80:80"], labels: {a: 1}, volumes: ["/a:/x"]}
  web:
    extends: base
    command: sleep 2
    ports: ["81:81"]
    labels: [b=2]
    volumes: ["/b:/x"]`);
    expect(found['web']).toMatchObject({
      image: 'one',
      command: ['sleep', '2'],
      ports: [{ target: 80 }, { target: 81 }],
      labels: { a: '1', b: '2' },
      volumes: [{ source: '/b', target: '/x' }],
    });
  });

  it('lays a service over one of another file, whose paths start where that file lies', async () => {
    const found = await definitions({
      'compose.yaml': 'services: {web: {extends: {file: parts/base.yaml, service: base}, image: two}}',
      'parts/base.yaml':
        'services: {base: {extends: {file: deep/x.yaml, service: x}, env_file: ./a.env, build: {context: .}}}',
      'parts/deep/x.yaml': 'services: {x: {volumes: ["./data:/data", "named:/n"], cpus: 1}}\nvolumes: {named: {}}',
      'parts/a.env': 'A=1',
    }).catch((error: unknown) => error);
    expect((found as AppError).errors).toMatchObject([{ detail: expect.stringContaining('"named"') as string }]);
    const files = {
      'compose.yaml': 'services: {web: {extends: {file: parts/base.yaml, service: base}, image: two}}',
      'parts/base.yaml': 'services: {base: {env_file: ./a.env, build: {context: .}, volumes: ["./data:/data"]}}',
      'parts/a.env': 'A=1',
    };
    expect(await definitions(files)).toMatchObject({
      web: {
        image: 'two',
        env_file: [{ path: './parts/a.env' }],
        build: { context: './parts' },
        volumes: [{ source: './parts/data' }],
      },
    });
  });

  it('takes out what !reset and !override say', async () => {
    const found = await definitions(`
services:
  base: {image: one, ports: ["80:80"], environment: {A: 1, B: 2}, command: x}
  web:
    extends: base
    ports: !override ["81:81"]
    environment: {A: !reset null}
    command: !reset null`);
    expect(found['web']).toEqual({
      image: 'one',
      environment: { B: '2' },
      ports: [expect.objectContaining({ target: 81 })],
    });
  });

  it('says where services extend each other, and where nothing is extended', async () => {
    const circle = await faults(
      'services:\n  a: {extends: b, image: x}\n  b: {extends: a}\n  c: {extends: webb, image: x}\n  web: {image: x}',
    );
    expect(circle).toMatchObject([
      { line: 2, detail: 'services.a extends itself: a → b → a' },
      { line: 4, detail: 'there is no service "webb" to extend', remedy: 'Did you mean "web"?' },
    ]);
    const missing = await faults('services: {a: {extends: {file: base.yaml, service: b}}}');
    expect(missing).toMatchObject([{ line: 1, column: 16, detail: 'base.yaml is not part of the import' }]);
  });
});

describe('include', () => {
  it('adds the services of other files, each with its own .env', async () => {
    const found = await definitions({
      'compose.yaml':
        'include:\n  - db/compose.yaml\n  - {path: [cache.yaml, cache.prod.yaml], env_file: cache.env}\nservices: {web: {image: a, depends_on: [db]}}',
      'db/compose.yaml': 'services: {db: {image: "postgres:$TAG", volumes: ["./init:/init"]}}',
      'db/.env': 'TAG=16',
      'cache.yaml': 'services: {cache: {image: "redis:$TAG"}}',
      'cache.prod.yaml': 'services: {cache: {restart: always}}',
      'cache.env': 'TAG=7',
    });
    expect(found).toMatchObject({
      web: { image: 'a' },
      db: { image: 'postgres:16', volumes: [{ source: './db/init' }] },
      cache: { image: 'redis:7', restart: 'always' },
    });
  });

  it('refuses circles, files that are not there or lie outside, and two definitions of one name', async () => {
    expect(
      await faults({ 'compose.yaml': 'include: [other.yaml]', 'other.yaml': 'include: [compose.yaml]' }),
    ).toMatchObject([{ file: 'other.yaml', detail: 'includes itself: compose.yaml → other.yaml → compose.yaml' }]);
    const text =
      'include: [gone.yaml, ../up.yaml, /etc/passwd, "https://a.b/c.yaml", "oci://a/b"]\nservices: {a: {image: b}}';
    expect((await faults(text)).map(({ column, detail }) => [column, detail])).toEqual([
      [11, 'gone.yaml is not part of the import'],
      [22, '../up.yaml lies outside of the import, and is not fetched'],
      [34, '/etc/passwd lies outside of the import, and is not fetched'],
      [47, 'https://a.b/c.yaml lies outside of the import, and is not fetched'],
      [69, 'oci://a/b lies outside of the import, and is not fetched'],
    ]);
    const twice = {
      'compose.yaml': 'include: [a.yaml, b.yaml]',
      'a.yaml': 'services: {x: {image: a}}',
      'b.yaml': 'services: {x: {image: b}}',
    };
    expect(await faults(twice)).toMatchObject([
      { column: 19, detail: 'services.x is defined by another included file too' },
    ]);
  });
});

describe('YAML in Compose files', () => {
  it('takes anchors, merge keys and octal permissions', async () => {
    const found = await definitions(`
x-common: &common {restart: always, environment: {A: 1}}
services:
  web:
    <<: *common
    image: nginx
    configs:
      - source: c
        mode: 0440
configs: {c: {content: hello}}`);
    expect(found['web']).toEqual({
      restart: 'always',
      environment: { A: '1' },
      image: 'nginx',
      configs: [{ source: 'c', mode: 0o440 }],
    });
  });

  it('lays the documents of one file over each other', async () => {
    expect(await definitions('services: {a: {image: one}}\n---\nservices: {a: {image: two}}')).toEqual({
      a: { image: 'two' },
    });
  });
});
