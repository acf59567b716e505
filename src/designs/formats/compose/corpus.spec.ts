import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { requires } from '../../../../test/support/requirements.js';
import { type AppError, InvalidRequest } from '../../../core/errors/app-error.js';
import { readDocuments } from '../../../formats/documents.js';
import { isObject, type Json, type JsonObject, textOf } from '../../../formats/located.js';
import { type SourceFile } from '../../../formats/source-file.js';
import { type FormatInput, type ImportedDesign } from '../format.js';
import { composeFormat } from './compose-format.js';

/** Files that Docker Compose refuses as well, or that are no Compose files; the reason is part of the fault. */
const refusals: Record<string, string> = {
  'compose-spec__compose-go/loader/testdata/compose-depends-on-cycle.yaml': 'depend on one another',
  'compose-spec__compose-go/loader/testdata/compose-depends-on-profile-no-cycle.yaml': 'depend on one another',
  'compose-spec__compose-go/loader/testdata/compose-depends-on-self.yaml': 'depend on one another',
  'compose-spec__compose-go/loader/testdata/compose-include-cycle.yaml': 'includes itself',
  'compose-spec__compose-go/loader/testdata/extends/base.yaml': 'services.nil must be a mapping',
  'compose-spec__compose-go/loader/testdata/extends/withdir/compose.yaml': 'dir/compose.yaml is not part',
  'compose-spec__compose-go/loader/testdata/remote/cycle/compose-cycle.yaml': 'lies outside',
  'compose-spec__compose-go/loader/testdata/remote/cycle/compose.yaml': 'lies outside',
  'conduktor__kafka-stack-docker-compose/full-stack.yml': 'conduktor.yml is not part',
  'docker__compose/logs-test/cat.yaml': 'is not a volume mapping',
  'docker__compose/wrong-composefile/compose.yaml': '"wrongField" is not a key',
  'kubernetes__kompose/image-pull-policy/compose-files/v12-fail-image-pull-policy.yml': '"Fail"',
  'senali-d__meshery/install/docker-extension/docker-compose.yaml': 'image is empty',
};
const notCompose = ['empty.yaml', 'jmx-exporter.yml', 'quickstart-prometheus-config.yml'];

/** Files that are laid over others, with these others; on their own they lack networks, services or images. */
const overlays: Record<string, string[]> = {
  'deviantony__docker-elk/extensions/curator/curator-compose.yml': ['docker-compose.yml'],
  'deviantony__docker-elk/extensions/filebeat/filebeat-compose.yml': ['docker-compose.yml'],
  'deviantony__docker-elk/extensions/fleet/agent-apmserver-compose.yml': [
    'docker-compose.yml',
    'extensions/fleet/fleet-compose.yml',
  ],
  'deviantony__docker-elk/extensions/fleet/fleet-compose.yml': ['docker-compose.yml'],
  'deviantony__docker-elk/extensions/heartbeat/heartbeat-compose.yml': ['docker-compose.yml'],
  'deviantony__docker-elk/extensions/metricbeat/metricbeat-compose.yml': ['docker-compose.yml'],
  'ory__hydra/quickstart-cockroach.yml': ['quickstart.yml'],
  'ory__hydra/quickstart-cors.yml': ['quickstart.yml'],
  'ory__hydra/quickstart-debug.yml': ['quickstart.yml'],
  'ory__hydra/quickstart-jwt.yml': ['quickstart.yml'],
  'ory__hydra/quickstart-mysql.yml': ['quickstart.yml'],
  'ory__hydra/quickstart-postgres.yml': ['quickstart.yml'],
  'ory__hydra/quickstart-prometheus.yml': ['quickstart.yml'],
  'ory__hydra/quickstart-tracing.yml': ['quickstart.yml'],
  'ory__hydra/test/conformance/docker-compose.yml': ['quickstart.yml'],
};

/** Reference results that differ for a reason of theirs: an option of the converter, or files that the corpus does not have. */
const differences: Record<string, string> = {
  'change-in-volume': 'converted with --volumes emptyDir or hostPath, so without claims',
  'configmap-file-configs':
    'the mounted files are not in the corpus, so claims stand for the ConfigMaps; an unknown host directory is dropped',
  'configmap-volume/compose.yaml': 'converted with --volumes configMap',
  namespace: 'converted with --namespace',
  'network-policies': 'converted with --generate-network-policies',
  'network/': 'converted with --generate-network-policies',
  'security-contexts': 'converted with --service-group-mode label',
  'service-group': 'converted with --service-group-mode volume',
  statefulset: 'converted with --controller statefulset',
  'compose-file-env-variable': 'converted from two files named in COMPOSE_FILE',
};

/** The Compose file that a reference result of kompose was made of. */
const sources: Record<string, string> = {
  'image-pull-policy/provider-files/kubernetes-v12-image-pull-policy.json':
    'image-pull-policy/compose-files/v12-image-pull-policy.yml',
  'image-pull-policy/provider-files/kubernetes-v3-image-pull-policy.json':
    'image-pull-policy/compose-files/v3-image-pull-policy.yml',
};

function filesOf(root: string): Map<string, SourceFile> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return new Map(
    paths.map((path) => [relative(root, path), { path: relative(root, path), bytes: readFileSync(path) }]),
  );
}

/** The file as the main one of its repository, which stands for the archive around it. */
function inputOf(files: ReadonlyMap<string, SourceFile>, main: string): FormatInput {
  const own = files.get(main);
  const ordered = new Map([...(own ? [[main, own] as const] : []), ...files]);
  return {
    name: main,
    archive: false,
    files: ordered,
    documents: (path = main, dialect) => {
      const file = ordered.get(path);
      return Promise.resolve(file ? readDocuments(file, dialect) : []);
    },
    parse: (file, dialect) => Promise.resolve(readDocuments(file, dialect)),
  };
}

async function attempt(input: FormatInput): Promise<ImportedDesign | InvalidRequest> {
  return composeFormat.read(input, {}).catch((error: unknown) => {
    if (error instanceof InvalidRequest) return error;
    throw error;
  });
}

function kindsOf(resources: Iterable<JsonObject>): string[] {
  return [...resources].map(({ kind }) => textOf(kind)).sort();
}

function resourcesIn(value: Json): JsonObject[] {
  if (!isObject(value)) return [];
  return value.kind === 'List' && Array.isArray(value.items) ? value.items.flatMap(resourcesIn) : [value];
}

requires('CORPUS_DIR', 'the Compose files of the corpus', (corpus) => {
  const root = join(corpus, 'compose');
  const projects = new Map(corpus === '' ? [] : readdirSync(root).map((name) => [name, filesOf(join(root, name))]));
  const composeFiles = [...projects].flatMap(([project, files]) =>
    [...files.keys()]
      .filter((path) => /\.ya?ml$/.test(path) && !/(^|\/)(output|expected)/.test(path))
      .map((path) => [project, path] as const),
  );

  it('are imported, or refused for the reason that Docker Compose has too', async () => {
    const count = { imported: 0, refused: 0, foreign: 0 };
    const wrong: string[] = [];
    for (const [project, path] of composeFiles) {
      const name = `${project}/${path}`;
      const input = inputOf(projects.get(project) ?? new Map(), path);
      if (notCompose.some((file) => path.endsWith(file))) {
        count.foreign += 1;
        if (await composeFormat.detect(input)) wrong.push(`${name}: is taken for a Compose file`);
        continue;
      }
      if (!(await composeFormat.detect(input))) wrong.push(`${name}: is not detected`);
      const result = await attempt(input);
      if (!(result instanceof InvalidRequest)) {
        count.imported += 1;
        if (name in refusals || name in overlays) wrong.push(`${name}: is imported`);
        continue;
      }
      count.refused += 1;
      const expected = refusals[name] ?? (name in overlays ? 'COMPOSE_FILE' : undefined);
      const said = result.errors.map(({ detail, remedy }) => `${detail} ${remedy ?? ''}`).join('\n');
      const located = result.errors.every(
        ({ file, line, column }) => file !== undefined && line !== undefined && column !== undefined,
      );
      if (expected === undefined || !said.includes(expected) || !located) wrong.push(`${name}: ${said}`);
    }
    console.info(
      `Compose corpus: ${count.imported} imported, ${count.refused} rightly refused, ${count.foreign} not Compose, ${wrong.length} wrong`,
    );
    expect(wrong).toEqual([]);
    expect(count.imported).toBeGreaterThan(165);
  }, 120_000);

  it('are imported together with the files that they are laid over', async () => {
    for (const [name, others] of Object.entries(overlays)) {
      const [project = '', ...path] = name.split('/');
      const files = projects.get(project) ?? new Map<string, SourceFile>();
      const names = [...others, path.join('/')];
      const archive = { ...inputOf(files, others[0] ?? ''), archive: true, name: 'corpus.zip' };
      const chosen = new Map([...archive.files].filter(([file]) => names.includes(file)));
      const result = await composeFormat
        .read({ ...archive, files: chosen }, { env: { COMPOSE_FILE: names.join(':') } })
        .catch((error: unknown) => (error as AppError).errors);
      expect({ name, result }).toMatchObject({ name, result: { sourceType: 'docker-compose' } });
    }
  }, 60_000);

  it('become the kinds of resources that kompose makes of them', async () => {
    const files = projects.get('kubernetes__kompose') ?? new Map<string, SourceFile>();
    const results = [...files.keys()].filter(
      (path) => /output[^/]*\.(ya?ml|json)$|provider-files/.test(path) && !/-o[sc]\.|stdin\/output\.json/.test(path),
    );
    const count = { equal: 0, explained: 0 };
    const wrong: string[] = [];
    for (const path of results) {
      const source = files.get(path);
      const main = sourceOf(path, files);
      if (!source || main === undefined) throw new Error(`no Compose file for ${path}`);
      const result = await attempt(inputOf(files, main));
      if (result instanceof InvalidRequest) {
        wrong.push(`${path}: ${result.message}`);
        continue;
      }
      const ours = kindsOf(result.design.components.map(({ component }) => ({ kind: component.kind })));
      const theirs = kindsOf(readDocuments(source).flatMap(({ value }) => resourcesIn(value)));
      // kompose makes one Service for each protocol of a load balancer; a Service may have both.
      const joined = path === 'v2/output-k8s.yaml' ? theirs.toSpliced(theirs.indexOf('Service'), 1) : theirs;
      if (JSON.stringify(ours) === JSON.stringify(joined)) count.equal += 1;
      else if (Object.keys(differences).some((start) => main.startsWith(start))) count.explained += 1;
      else wrong.push(`${path}: ${ours.join(' ')} instead of ${theirs.join(' ')}`);
    }
    console.info(`kompose results: ${count.equal} equal, ${count.explained} explained, ${wrong.length} wrong`);
    expect(wrong).toEqual([]);
    expect(count.equal).toBeGreaterThan(40);
  }, 60_000);

  it('become what the bridge of Docker Compose makes of them, but for its namespace, its second Services and its policies', async () => {
    const files = projects.get('docker__compose') ?? new Map<string, SourceFile>();
    const result = await attempt(inputOf(files, 'bridge/compose.yaml'));
    if (result instanceof InvalidRequest) throw result;
    const theirs = [...files].filter(([path]) => /bridge\/expected-kubernetes\/base\/(?!kustomization)/.test(path));
    const kinds = new Set(
      kindsOf(theirs.flatMap(([, file]) => readDocuments(file).flatMap(({ value }) => resourcesIn(value)))),
    );
    const ours = new Set(result.design.components.map(({ component }) => component.kind));
    expect([...kinds].filter((kind) => !ours.has(kind))).toEqual(['Namespace', 'NetworkPolicy']);
    expect([...ours].filter((kind) => !kinds.has(kind))).toEqual([]);
  });

  it('that are hostile are refused, or taken without harm', async () => {
    const folder = join(corpus, 'hostile/files');
    const cases = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')) as {
      file: string;
      kind: string;
      expect: string;
    }[];
    const hostile = cases.filter(({ kind }) => kind === 'docker-compose');
    expect(hostile.length).toBeGreaterThan(10);
    for (const { file, expect: expected } of hostile) {
      const bytes = readFileSync(join(folder, file));
      const result = await attempt(inputOf(new Map([[file, { path: file, bytes }]]), file));
      if (result instanceof InvalidRequest) expect(result.errors.length).toBeGreaterThan(0);
      if (expected !== 'either')
        expect(`${file} ${result instanceof InvalidRequest ? 'reject' : 'accept'}`).toBe(`${file} ${expected}`);
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

function sourceOf(path: string, files: ReadonlyMap<string, SourceFile>): string | undefined {
  const known = sources[path];
  if (known !== undefined) return known;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const words = path
    .slice(folder.length)
    .replace(/^output-?|\.[^.]*$/g, '')
    .split('-')
    .filter((word) => word !== 'k8s' && word !== 'template');
  const candidates = [...files.keys()].filter(
    (file) =>
      file.startsWith(folder) &&
      /\.ya?ml$/.test(file) &&
      !file.slice(folder.length).includes('/') &&
      !file.slice(folder.length).startsWith('output'),
  );
  const matching = candidates.filter(
    (file) => file.endsWith(`-${words.join('-')}.yaml`) || file.endsWith(`-${words.join('-')}.yml`),
  );
  return matching[0] ?? candidates.find((file) => /\/(docker-)?compose\.ya?ml$/.test(file)) ?? candidates[0];
}
