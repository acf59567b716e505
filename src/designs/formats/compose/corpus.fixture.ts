import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { AppError, InvalidRequest } from '../../../core/errors/app-error.js';
import { type DesignFile } from '../../../formats/design-file/design-file.js';
import { parseDocuments } from '../../../formats/documents/parse-documents.js';
import { type JsonObject, asObject, asText } from '../../../core/json/json.js';
import { type SourceFile } from '../../../formats/sources/source-file.js';
import { toYaml } from '../../../formats/documents/yaml-writer.js';
import { type ImportOutcome, refusal, resourcesIn, same } from '../corpus.fixture.js';
import { type FormatInput, type ImportedDesign } from '../format.js';
import { composeFormat } from './compose-format.js';
import { toCompose } from './to-compose.js';

/** Files that Docker Compose refuses as well, or that are not Compose files; the reason is part of the fault. */
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

/** Files that override others, with these others; on their own they lack networks, services or images. */
export const overlays: Record<string, string[]> = {
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

/** Reference results that differ for a known reason: an option of the converter, or files that the corpus does not have. */
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

/** The Compose file from which a reference result of kompose was made. */
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

/** The file as the main one of its repository, which takes the place of the archive around it. */
export function inputOf(files: ReadonlyMap<string, SourceFile>, main: string): FormatInput {
  const own = files.get(main);
  const ordered = new Map([...(own ? [[main, own] as const] : []), ...files]);
  return {
    name: main,
    archive: false,
    chosenPath: '',
    isChosen: () => true,
    files: ordered,
    documents: (path = main, dialect) => {
      const file = ordered.get(path);
      return Promise.resolve(file ? parseDocuments(file, dialect) : []);
    },
    parse: (file, dialect) => Promise.resolve(parseDocuments(file, dialect)),
  };
}

export async function attempt(input: FormatInput): Promise<ImportedDesign | InvalidRequest> {
  return composeFormat.read(input, {}).catch((error: unknown) => {
    if (error instanceof InvalidRequest) return error;
    throw error;
  });
}

export function kindsOf(resources: Iterable<JsonObject>): string[] {
  return [...resources].map(({ kind }) => asText(kind)).sort();
}

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

/** The Compose files of the corpus, with the files of their repositories. */
export class ComposeCorpus {
  readonly projects: ReadonlyMap<string, Map<string, SourceFile>>;

  constructor(corpus: string) {
    const root = join(corpus, 'compose');
    this.projects = new Map(corpus === '' ? [] : readdirSync(root).map((name) => [name, filesOf(join(root, name))]));
  }

  filesOf(project: string): Map<string, SourceFile> {
    return this.projects.get(project) ?? new Map<string, SourceFile>();
  }

  /** Each file on its own, as the main one of its repository. */
  async *outcomes(): AsyncGenerator<ImportOutcome> {
    for (const [project, files] of this.projects) {
      for (const path of files.keys())
        if (/\.ya?ml$/.test(path) && !/(^|\/)(output|expected)/.test(path)) yield this.import(project, path);
    }
  }

  /** The kinds of resources made from services, compared with the results of kompose. */
  async *comparedWithKompose(): AsyncGenerator<{
    path: string;
    outcome: 'equal' | 'explained' | 'wrong';
    why: string;
  }> {
    const files = this.filesOf('kubernetes__kompose');
    const results = [...files].filter(
      ([path]) => /output[^/]*\.(ya?ml|json)$|provider-files/.test(path) && !/-o[sc]\.|stdin\/output\.json/.test(path),
    );
    for (const [path, source] of results) {
      const main = sourceOf(path, files) ?? '';
      const result = await attempt(inputOf(files, main));
      if (result instanceof InvalidRequest) {
        yield { path, outcome: 'wrong', why: result.message };
        continue;
      }
      const { components } = result.design;
      const ours = kindsOf(components.map(({ component }) => ({ kind: component.kind })));
      // kompose makes no Service without ports, unless a label asks for it.
      const withPorts = components.filter(({ component, configuration }) => component.kind !== 'Service' || asObject(configuration['spec'])['ports'] !== undefined); // prettier-ignore
      const fewer = kindsOf(withPorts.map(({ component }) => ({ kind: component.kind })));
      const theirs = kindsOf(parseDocuments(source).flatMap(({ value }) => resourcesIn(value)));
      // kompose makes one Service for each protocol of a load balancer; a Service may have both.
      const joined = path === 'v2/output-k8s.yaml' ? theirs.toSpliced(theirs.indexOf('Service'), 1) : theirs;
      const [, reason] = Object.entries(differences).find(([start]) => main.startsWith(start)) ?? [];
      if ([ours, fewer].some((kinds) => JSON.stringify(kinds) === JSON.stringify(joined)))
        yield { path, outcome: 'equal', why: '' };
      else if (reason !== undefined) yield { path, outcome: 'explained', why: reason };
      else yield { path, outcome: 'wrong', why: `${ours.join(' ')} instead of ${theirs.join(' ')}` };
    }
  }

  private async import(project: string, file: string): Promise<ImportOutcome> {
    const path = `${project}/${file}`;
    const input = inputOf(this.filesOf(project), file);
    const isCompose = await composeFormat.detect(input);
    if (notCompose.some((name) => file.endsWith(name)))
      return { path, outcome: isCompose ? 'wrong' : 'foreign', why: isCompose ? 'is taken for a Compose file' : '' };
    if (!isCompose) return { path, outcome: 'wrong', why: 'is not detected' };
    const result = await attempt(input);
    if (result instanceof InvalidRequest) return toRefusal(path, result);
    if (path in refusals || path in overlays) return { path, outcome: 'wrong', why: 'is imported' };
    return {
      path,
      outcome: 'imported',
      why: '',
      imported: result,
      again: await roundTrips(result, this.filesOf(project), file),
    };
  }
}

function toRefusal(path: string, { errors }: InvalidRequest): ImportOutcome {
  const expected = refusals[path] ?? (path in overlays ? 'COMPOSE_FILE' : undefined);
  const said = errors.map(({ detail, remedy }) => `${detail} ${remedy ?? ''}`).join('\n');
  const isLocated = errors.every(({ file, line, column }) => file !== undefined && line !== undefined && column !== undefined); // prettier-ignore
  const isRight = expected !== undefined && said.includes(expected) && isLocated;
  return { path, outcome: isRight ? 'refused' : 'wrong', why: said };
}

/** Whether a design exported as Compose is the same project when it replaces its source file. */
async function roundTrips(
  { name, design }: ImportedDesign,
  files: ReadonlyMap<string, SourceFile>,
  path: string,
): Promise<boolean> {
  const written = { path, bytes: new TextEncoder().encode(toYaml([toCompose(design).file])) };
  const again = await composeFormat.read(inputOf(new Map([...files, [path, written]]), path), { name }).catch(refusal);
  return !(again instanceof AppError) && same(keptOf(again.design), keptOf(design));
}

/** The Compose metadata of a design, in a stable order. */
export function keptOf(design: DesignFile): unknown {
  const kept = design.components.map(({ component, displayName, metadata }) => [
    component.kind,
    displayName,
    metadata.compose,
  ]);
  return { kept: kept.map((entry) => JSON.stringify(entry)).sort(), parts: design.metadata };
}
