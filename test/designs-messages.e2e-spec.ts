import { gzipSync } from 'node:zlib';
import { tarOf } from '../src/formats/archives/tar.fixture.js';
import type { Json } from './support/person.js';
import { requires } from './support/requirements.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

/** A zip with a member `../evil.yaml`. */
const EVIL_ZIP =
  'UEsDBBQAAAAAAJegdl3qCxq9BAAAAAQAAAAMAAAALi4vZXZpbC55YW1sYTogYlBLAwQUAAAAAACXoHZd6gsavQQAAAAEAAAABwAA' +
  'AG9rLnlhbWxhOiBiUEsBAhQDFAAAAAAAl6B2XeoLGr0EAAAABAAAAAwAAAAAAAAAAAAAAIABAAAAAC4uL2V2aWwueWFtbFBLAQIU' +
  'AxQAAAAAAJegdl3qCxq9BAAAAAQAAAAHAAAAAAAAAAAAAACAAS4AAABvay55YW1sUEsFBgAAAAACAAIAbwAAAFcAAAAAAA==';

const archive = async (files: Record<string, string>): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(gzipSync(await tarOf(files)));

/** The faults of an import that is refused. */
async function faultsOf(
  name: string,
  content: string | Uint8Array,
  fields: Record<string, string> = {},
): Promise<Json> {
  const { status, body } = await world.admin.upload('/api/pattern/import', name, content, fields);
  expect({ name, status }).toEqual({ name, status: 400 });
  return body.errors;
}

const detail = (text: string): Json => expect.stringContaining(text);

describe('a file that is refused', () => {
  it('is called what it is when it is no YAML at all', async () => {
    const page = '<!DOCTYPE html>\n<html><body>a: b</body></html>';
    expect(await faultsOf('a.yaml', page)).toMatchObject([
      { line: 1, detail: detail('an HTML page'), remedy: detail('raw') },
    ]);
    const picture = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(99, 1)]);
    expect(await faultsOf('a.png', new Uint8Array(picture))).toMatchObject([{ detail: detail('a PNG image') }]);
  });

  it('names the first cause and not what follows from it', async () => {
    const tabs = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: a\ndata:\n\ta: b\n\tc: d\n';
    expect(await faultsOf('a.yaml', tabs)).toMatchObject([{ line: 4, remedy: 'Indent with spaces.' }]);
    const templates = [
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\ndata: {{ .Values.data }}\n',
      '{{- if .Values.enabled }}\napiVersion: v1\nkind: Service\nmetadata:\n  name: a\n{{- end }}\n',
    ];
    for (const text of templates)
      expect(await faultsOf('a.yaml', text)).toMatchObject([
        { line: expect.any(Number), detail: detail('a Helm template'), remedy: detail('the whole chart') },
      ]);
    const faults = await faultsOf('two.yaml', 'a: [\n---\nb: {\n');
    expect(faults.map(({ line }: Json) => line as number)).toEqual([2, 4]);
  });

  it('distinguishes the booleans of YAML from names', async () => {
    const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y}\n';
    expect(await faultsOf('a.yaml', manifest)).toMatchObject([
      { pointer: '/metadata/name', detail: detail('YAML reads y, yes, on and true as true'), remedy: detail('quotes') },
    ]);
  });

  it('reports what a list of services should be, and which member leads out of an archive', async () => {
    const listed = 'services:\n  - web:\n      image: nginx\n';
    expect(await faultsOf('docker-compose.yml', listed)).toMatchObject([
      { pointer: '/services', detail: detail('not a list'), remedy: detail('below its name') },
    ]);
    const zip = Buffer.from(EVIL_ZIP, 'base64');
    expect(await faultsOf('evil.zip', new Uint8Array(zip))).toMatchObject([
      { file: 'evil.zip/../evil.yaml', detail: 'is a path outside the archive', remedy: detail('without ".."') },
    ]);
  });

  it('has exact places: lines of .env, and items of lists', async () => {
    const compose = `services:
  web:
    image: nginx
    mem_limit: \${MEMORY}
    depends_on:
      - db
      - cache
    links: [db, other]
    networks:
      - front
    volumes:
      - data:/data
  db: {image: postgres}
`;
    const sound = 'services: {web: {image: nginx}}\n';
    const wrong = await archive({ 'docker-compose.yml': sound, '.env': "A=1\n\n  # b\nno variable\nB='x\nC='y'\n" });
    expect(await faultsOf('a.tgz', wrong)).toMatchObject([
      { file: '.env', line: 4 },
      { file: '.env', line: 5, detail: detail('closed only in line 6') },
    ]);
    const lots = await archive({
      'docker-compose.yml': 'services: {web: {image: nginx, mem_limit: "${M}"}}\n',
      '.env': '\nM=lots\n',
    });
    expect(await faultsOf('b.tgz', lots)).toMatchObject([
      { file: 'docker-compose.yml', detail: detail('.env, line 2') },
    ]);
    const references = await faultsOf('docker-compose.yml', compose.replace('${MEMORY}', '1g'));
    expect(references.map(({ line, column }: Json) => `${line}:${column}`)).toEqual(['7:9', '8:17', '10:9', '12:9']);
  });
});

requires('HELM_BIN', 'a chart that is refused', (helm) => {
  beforeAll(async () => {
    await world.stop();
    world = await World.start({ HELM_BIN: helm });
  });
  const chart = (template: string) =>
    archive({
      'c/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n',
      'c/values.yaml': 'image: {tag: x}\n',
      'c/templates/a.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n${template}`,
    });

  it('is not blamed for values of the wrong type', async () => {
    const bytes = await chart('  tag: {{ .Values.image.tag | upper }}\n');
    expect(await faultsOf('c.tgz', bytes, { values: 'image: nginx' })).toEqual([
      {
        pointer: '/values/image',
        detail: detail('image is a single value, where the chart has a mapping'),
        remedy: 'Send a mapping.',
      },
    ]);
    expect(await faultsOf('c.tgz', bytes, { values: 'image: {tag: [a]}' })).toMatchObject([
      { pointer: '/values/image/tag' },
    ]);
  });

  it('reports a template without its end', async () => {
    const bytes = await chart('{{- if .Values.image }}\n  a: b\n');
    expect(await faultsOf('c.tgz', bytes)).toMatchObject([
      { file: 'c/templates/a.yaml', detail: detail('ends within an "if"'), remedy: 'Add the missing "{{ end }}".' },
    ]);
  });
});
